import type { ServerResponse } from 'node:http';
import { type ErrorCode, errors, formatAppendedError, formatError } from '../../shared/errors.ts';
import { headers } from '../../shared/interface.ts';

export type Answer = (response: ServerResponse) => void | Promise<void>;

export function startReply(response: ServerResponse, conversationId?: string): void {
  if (conversationId) response.setHeader(headers.conversationId, conversationId);
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
}

/** Returns a complete reply. `conversationId` becomes `X-Conversation-Id`. */
export const replies =
  (reply: string, conversationId?: string): Answer =>
  (response) => {
    startReply(response, conversationId);
    response.end(reply);
  };

/** Returns a reply that fails after its first text: the text, then the error line, then the normal end of the response. */
export const failsMidway = (text: string, conversationId?: string): Answer =>
  replies(text + formatAppendedError('UPSTREAM_ERROR'), conversationId);

/** Returns a reply whose connection breaks after `text`. */
export const cutsReply =
  (text: string, conversationId?: string): Answer =>
  (response) => {
    startReply(response, conversationId);
    response.write(text, () => response.destroy());
  };

type ResponseDetails = {
  status: number;
  headers: () => Readonly<Record<string, string>>;
  chunks: readonly Uint8Array[];
  /** The pause before each chunk except the first. */
  pauseMilliseconds: number;
  end: 'end' | 'break' | 'stay open';
};

/** Returns a response whose body arrives in chunks. */
export const sendsResponse =
  ({ status, headers, chunks, pauseMilliseconds, end }: ResponseDetails): Answer =>
  async (response) => {
    response.writeHead(status, headers());
    response.flushHeaders();
    for (const [index, chunk] of chunks.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      await new Promise((resolve) => response.write(chunk, resolve));
    }
    if (end === 'break') response.destroy();
    else if (end === 'end') response.end();
  };

type FailureDetails = { conversationId?: string | undefined; retryAfterSeconds?: number | undefined };

/**
 * Returns an error with the status, sentence and `Retry-After` that the service sends for `code`. Throws for unknown codes, for
 * `RATE_LIMITED` without `retryAfterSeconds`, and for other codes with it.
 */
export function fails(code: ErrorCode, details: FailureDetails = {}): Answer {
  const { retryAfterSeconds, conversationId } = details;
  if (!Object.hasOwn(errors, code)) {
    throw new TypeError(`Unknown code "${code}". The codes are ${Object.keys(errors).join(', ')}.`);
  }
  const { status, retry } = errors[code];
  if (retry.delaysSeconds === 'retry-after') {
    if (!Number.isInteger(retryAfterSeconds) || Number(retryAfterSeconds) < 1) {
      throw new TypeError(
        `${code} requires retryAfterSeconds, an integer of at least 1. For another header use answersWith.`,
      );
    }
  } else if (retryAfterSeconds !== undefined) {
    throw new TypeError(
      `The service sends ${code} without Retry-After. To simulate a proxy that adds it, use answersWith.`,
    );
  }
  return (response) => {
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
    if (conversationId) response.setHeader(headers.conversationId, conversationId);
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(formatError(code, retryAfterSeconds));
  };
}

/** Returns a response with any status, body and headers, for example to simulate a proxy. */
export const answersWith =
  (status: number, body: string, responseHeaders: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, responseHeaders).end(body);
  };

/** Closes the connection without a response. */
export const hangsUp: Answer = (response: ServerResponse) => {
  response.destroy();
};

export const staysSilent: Answer = () => {};
