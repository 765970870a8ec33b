import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headers, routes } from '../../shared/interface.ts';
import { type Answer, startReply } from './answers.ts';
import { type ReceivedRequest, receiveRequest } from './received-request.ts';

export { answersWith, cutsReply, fails, failsMidway, hangsUp, replies, staysSilent } from './answers.ts';

export type FakeBackend = Awaited<ReturnType<typeof startFakeBackend>>;

type FakeBackendOptions = {
  /** The port on 127.0.0.1. A free port by default. */
  port?: number | undefined;
  /** Called with each request after its body has arrived. */
  onRequest?: ((request: ReceivedRequest) => void) | undefined;
  /** The answer to requests without a queued answer. Status 418 by default. */
  otherwise?: Answer | undefined;
};

/**
 * Starts a fake service on a loopback port. It sends the queued answers in order, one per request to a chat route, and records all
 * requests. Requests that the real service refuses before it calls the model (wrong path or method, an invalid body) get
 * the same refusal and consume no answer. Declare it with `await using`, or close it.
 */
export async function startFakeBackend({
  port = 0,
  onRequest,
  otherwise = unexpectedRequest,
}: FakeBackendOptions = {}) {
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
    demoUrl: origin + routes.demoChat,
    /** All requests so far, oldest first. */
    requests,

    /** Queues answers for the next requests. */
    answer(...next: Answer[]): void {
      answers.push(...next);
    },

    /**
     * Responds to the next request with status 200 and resolves with the open response, to be written step by step. Throws if an
     * answer is queued, which the next request would get.
     */
    open(conversationId?: string): Promise<ServerResponse> {
      if (answers.length > 0) throw new Error('open() was called while an answer is queued for the next request.');
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
