import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ErrorCode, errors, formatAppendedError, formatError } from '../../shared/errors.ts';
import { headers, routes } from '../../shared/interface.ts';
import { type ReceivedRequest, receiveRequest } from './received-request.ts';

/** Sends the response to one request. */
export type Answer = (response: ServerResponse) => void | Promise<void>;

export type FakeBackend = Awaited<ReturnType<typeof startFakeBackend>>;

type Options = {
  /** The port on 127.0.0.1. A free port by default. */
  port?: number | undefined;
  /** Called with each request after its body has arrived. */
  onRequest?: ((request: ReceivedRequest) => void) | undefined;
  /** The answer to requests without a queued answer. Status 418 by default. */
  otherwise?: Answer | undefined;
};

/**
 * Starts a fake service on a loopback port. It sends the queued answers in order, one per request to a chat route, and records all
 * requests. Requests that the real service refuses before it calls the model (wrong path or method, a body that is not JSON) get
 * the same refusal and consume no answer. Declare it with `await using`, or close it.
 */
export async function startFakeBackend({ port = 0, onRequest, otherwise = unexpectedRequest }: Options = {}) {
  const requests: ReceivedRequest[] = [];
  const answers: Answer[] = [];

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = request.headers['x-request-id']?.toString();
    if (requestId) response.setHeader(headers.requestId, requestId);
    const { received, rejection } = await receiveRequest(request);
    requests.push(received);
    onRequest?.(received);
    if (rejection) {
      response.writeHead(rejection.status, { 'Content-Type': 'text/plain; charset=utf-8', ...rejection.headers });
      response.end(rejection.body);
      return;
    }
    const answer = answers.shift() ?? otherwise;
    await answer(response);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      // Responds with the error, so that the client does not wait forever and the test shows the reason.
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(500).end(`The fake backend failed: ${error}`);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function close(): Promise<void> {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  return {
    /** The address of live chat. */
    url: origin + routes.liveChat,
    /** The address of demo chat. */
    demoUrl: origin + routes.demoChat,
    /** All requests so far, oldest first. */
    requests,

    /** Queues answers for the next requests. */
    answer(...next: Answer[]): void {
      answers.push(...next);
    },

    /** Responds to the next request with status 200 and resolves with the open response, to be written step by step. */
    open(conversationId?: string): Promise<ServerResponse> {
      return new Promise((resolve) => {
        answers.push((response) => {
          startReply(response, conversationId);
          response.flushHeaders();
          resolve(response);
        });
      });
    },

    close,
    [Symbol.asyncDispose]: close,
  };
}

const unexpectedRequest: Answer = (response) => {
  response.writeHead(418).end('Unexpected request: no answer is queued.');
};

function startReply(response: ServerResponse, conversationId?: string): void {
  if (conversationId) response.setHeader(headers.conversationId, conversationId);
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
}

/** A complete reply. `conversationId` becomes `X-Conversation-Id`. */
export const replies =
  (reply: string, conversationId?: string): Answer =>
  (response) => {
    startReply(response, conversationId);
    response.end(reply);
  };

/** Returns a reply that fails after its first text: the text, then the error line, then the normal end of the response. */
export const failsMidway = (text: string, conversationId?: string): Answer =>
  replies(text + formatAppendedError('UPSTREAM_ERROR'), conversationId);

/** A reply whose connection breaks after `text`. */
export const cutsReply =
  (text: string, conversationId?: string): Answer =>
  (response) => {
    startReply(response, conversationId);
    response.write(text, () => response.destroy());
  };

type Details = { conversationId?: string | undefined };
type LimitedDetails = Details & { retryAfterSeconds: number };

/**
 * Returns an error with the status, sentence and `Retry-After` that the service sends for `code`. Throws for unknown codes, for
 * `RATE_LIMITED` without `retryAfterSeconds`, and for other codes with it.
 */
export function fails(code: 'RATE_LIMITED', details: LimitedDetails): Answer;
export function fails(code: Exclude<ErrorCode, 'RATE_LIMITED'>, details?: Details): Answer;
export function fails(code: ErrorCode, details: Details & { retryAfterSeconds?: number } = {}): Answer {
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

/** Any status, body and headers, to simulate a proxy for example. */
export const answersWith =
  (status: number, body: string, responseHeaders: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, responseHeaders).end(body);
  };

/** Closes the connection without a response. */
export const hangsUp: Answer = (response: ServerResponse) => {
  response.destroy();
};

/** Never responds. */
export const staysSilent: Answer = () => {};
