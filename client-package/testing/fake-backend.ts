import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ErrorCode, errors, formatError } from '../../shared/errors.ts';
import { headers } from '../../shared/interface.ts';

/** Answers one request. */
export type Answer = (response: ServerResponse) => void;

/** What a request had in its header `X-Request-Id` and, read from JSON, in its body. */
export type ReceivedRequest = { requestId: string | undefined; body: unknown };

export type FakeBackend = Awaited<ReturnType<typeof startFakeBackend>>;

/**
 * A service on a free loopback port that gives the queued answers in order, one per request, and remembers what it was
 * asked. A request without an answer gets status 418. Declare it with `await using`, or close it.
 */
export async function startFakeBackend() {
  const requests: ReceivedRequest[] = [];
  const answers: Answer[] = [];

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const requestId = request.headers['x-request-id'];
    requests.push({ requestId: requestId?.toString(), body: JSON.parse(await text(request)) });
    if (requestId) response.setHeader(headers.requestId, requestId);
    const answer = answers.shift();
    if (answer) answer(response);
    else response.writeHead(418).end('The test expects no such request.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');

  async function close(): Promise<void> {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  return {
    /** The address of its chat route. */
    url: `http://127.0.0.1:${address.port}/api/chat`,
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
          if (conversationId) response.setHeader(headers.conversationId, conversationId);
          response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
          response.flushHeaders();
          resolve(response);
        });
      });
    },

    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The whole of a reply with status 200, in the conversation `conversationId`. */
export const replies =
  (reply: string, conversationId?: string): Answer =>
  (response) => {
    if (conversationId) response.setHeader(headers.conversationId, conversationId);
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(reply);
  };

/** An error of the service: status, body and headers are what the service sends with `code`. */
export const fails =
  (
    code: ErrorCode,
    { retryAfterSeconds, conversationId }: { retryAfterSeconds?: number; conversationId?: string } = {},
  ): Answer =>
  (response) => {
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
    if (conversationId) response.setHeader(headers.conversationId, conversationId);
    response.writeHead(errors[code].status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(formatError(code, retryAfterSeconds));
  };

/** Any status and body: what a proxy in between says, for example. */
export const answersWith =
  (status: number, body: string): Answer =>
  (response) => {
    response.writeHead(status).end(body);
  };

/** The connection breaks before anything is answered. */
export const hangsUp: Answer = (response) => {
  response.destroy();
};

/** Nothing is ever answered. */
export const staysSilent: Answer = () => {};
