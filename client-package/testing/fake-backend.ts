import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ErrorCode, errors, formatAppendedError, formatError } from '../../shared/errors.ts';
import { headers, routes } from '../../shared/interface.ts';
import { type ReceivedRequest, receiveRequest } from './received-request.ts';

/** Answers one request. */
export type Answer = (response: ServerResponse) => void | Promise<void>;

export type FakeBackend = Awaited<ReturnType<typeof startFakeBackend>>;

type Options = {
  /** The port of 127.0.0.1 to listen on; a free one by default. */
  port?: number | undefined;
  /** Called with each request when its body has arrived. */
  onRequest?: ((request: ReceivedRequest) => void) | undefined;
  /** The answer to a request for which none is queued; status 418 by default. */
  otherwise?: Answer | undefined;
};

/**
 * A service on a loopback port that gives the queued answers in order, one per request to a chat route, and records the requests.
 * A request that the service refuses before it asks the model is refused in the same way and uses up no answer: another path or
 * method, a body that is not JSON. A request without an answer gets status 418. Declare it with `await using`, or close it.
 */
export async function startFakeBackend({ port = 0, onRequest, otherwise = expectsNone }: Options = {}) {
  const requests: ReceivedRequest[] = [];
  const answers: Answer[] = [];

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = request.headers['x-request-id']?.toString();
    if (requestId) response.setHeader(headers.requestId, requestId);
    const { received, refusal } = await receiveRequest(request);
    requests.push(received);
    onRequest?.(received);
    if (refusal) {
      response.writeHead(refusal.status, { 'Content-Type': 'text/plain; charset=utf-8', ...refusal.headers });
      response.end(refusal.body);
      return;
    }
    const answer = answers.shift() ?? otherwise;
    await answer(response);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      // The client must not wait for an answer that never comes; the test reads what went wrong in it.
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(500).end(`The fake backend could not answer: ${error}`);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const origin = `http://127.0.0.1:${address.port}`;

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
    /** The requests so far, the latest last. */
    requests,

    /** Queues answers for the next requests. */
    answer(...next: Answer[]): void {
      answers.push(...next);
    },

    /** Answers the next request with status 200 and hands over the open response, to be written step by step. */
    open(conversationId?: string): Promise<ServerResponse> {
      return new Promise((resolve) => {
        answers.push((response) => {
          beginReply(response, conversationId);
          response.flushHeaders();
          resolve(response);
        });
      });
    },

    close,
    [Symbol.asyncDispose]: close,
  };
}

const expectsNone: Answer = (response) => {
  response.writeHead(418).end('The test expects no such request.');
};

function beginReply(response: ServerResponse, conversationId?: string): void {
  if (conversationId) response.setHeader(headers.conversationId, conversationId);
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
}

/** The whole of a reply with status 200, in the conversation `conversationId`. */
export const replies =
  (reply: string, conversationId?: string): Answer =>
  (response) => {
    beginReply(response, conversationId);
    response.end(reply);
  };

/** A reply that fails after its first text: the text, the error line, and the normal end of the response. */
export const failsMidway = (text: string, conversationId?: string): Answer =>
  replies(text + formatAppendedError('UPSTREAM_ERROR'), conversationId);

/** A reply that is cut: the connection breaks once `text` is written. */
export const cutsReply =
  (text: string, conversationId?: string): Answer =>
  (response) => {
    beginReply(response, conversationId);
    response.write(text, () => response.destroy());
  };

/** A reply whose bytes arrive one by one, so each character of more than one byte is split. */
export const repliesByteByByte =
  (reply: string, conversationId?: string): Answer =>
  async (response) => {
    beginReply(response, conversationId);
    for (const byte of new TextEncoder().encode(reply)) {
      if (response.destroyed) return;
      response.write(Uint8Array.of(byte));
      // Two writes within a turn of the event loop leave in one packet.
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };

type Details = { conversationId?: string | undefined };
type LimitedDetails = Details & { retryAfterSeconds: number };

/**
 * An error of the service: status, sentence and `Retry-After` are those that the service sends with `code`. Throws if the service has no
 * such code, or sends it with another choice of `retryAfterSeconds`: `RATE_LIMITED` has it always, another code never.
 */
export function fails(code: 'RATE_LIMITED', details: LimitedDetails): Answer;
export function fails(code: Exclude<ErrorCode, 'RATE_LIMITED'>, details?: Details): Answer;
export function fails(code: ErrorCode, details: Details & { retryAfterSeconds?: number } = {}): Answer {
  const { retryAfterSeconds, conversationId } = details;
  if (!Object.hasOwn(errors, code)) {
    throw new TypeError(`The service has no code "${code}". Its codes are ${Object.keys(errors).join(', ')}.`);
  }
  const { status, retry } = errors[code];
  if (retry.delaysSeconds === 'retry-after') {
    if (!Number.isInteger(retryAfterSeconds) || Number(retryAfterSeconds) < 1) {
      throw new TypeError(
        `${code} needs retryAfterSeconds, a whole number from 1. For another header use answersWith.`,
      );
    }
  } else if (retryAfterSeconds !== undefined) {
    throw new TypeError(`The service sends ${code} without Retry-After. For a proxy that adds it use answersWith.`);
  }
  return (response) => {
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
    if (conversationId) response.setHeader(headers.conversationId, conversationId);
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(formatError(code, retryAfterSeconds));
  };
}

/** Any status, body and headers: the answer of a proxy, for example. */
export const answersWith =
  (status: number, body: string, more: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, more).end(body);
  };

/** The connection breaks before anything is answered. */
export const hangsUp: Answer = (response: ServerResponse) => {
  response.destroy();
};

/** Nothing is ever answered. */
export const staysSilent: Answer = () => {};
