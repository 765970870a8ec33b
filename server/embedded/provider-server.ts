import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { ulid } from 'ulid';
import type { ProviderAnswer, ProviderRequest } from './provider-answer.ts';
import { parseProviderBody } from './provider-request.ts';
import { estimateTokens, writeProviderStream } from './provider-stream.ts';

/** A request as it arrived, whether or not it passes the provider's checks. */
export type ProviderArrival = {
  text: string;
  headers: IncomingHttpHeaders;
  /** `left` where the connection closed before the answer had ended: the client left, or a step cut it */
  ended: Promise<'answered' | 'left'>;
};

/**
 * Starts a server on a free loopback port that speaks the model provider's HTTP protocol: `POST /v1/messages`, its
 * checks, its error envelope and its event stream. `answer` decides what is said; `onArrival` sees every request first.
 * Closing it breaks the connections that are still open.
 */
export async function createProviderServer(options: {
  answer: (request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>;
  onArrival?: (arrival: ProviderArrival) => void;
}): Promise<{ url: string; close(): Promise<void> }> {
  const { answer, onArrival } = options;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('request-id', `req_${ulid()}`);
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') {
      return refuse(response, { status: 404, type: 'not_found_error', message: 'Not found' });
    }
    const text = await readText(request);
    const { left, ended } = watch(response);
    onArrival?.({ text, headers: request.headers, ended });
    const parsed = parseProviderBody(text);
    if ('problem' in parsed) {
      return refuse(response, { status: 400, type: 'invalid_request_error', message: parsed.problem });
    }
    const { body } = parsed;
    const given = await answer({ body, headers: request.headers, left });
    if ('refuse' in given) return refuse(response, given.refuse);
    await writeProviderStream(
      response,
      { model: body.model, ...given },
      { inputTokens: estimateTokens(text.length), left },
    );
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, type: 'api_error', message: String(error) });
    });
  });
  // A connection that finds the queue full looks open to its client, and is silent.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The provider server has no port.');

  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function watch(response: ServerResponse): { left: AbortSignal; ended: ProviderArrival['ended'] } {
  const leaving = new AbortController();
  const ended = new Promise<'answered' | 'left'>((resolve) => {
    response.once('close', () => {
      if (response.writableFinished) return resolve('answered');
      leaving.abort();
      resolve('left');
    });
  });
  return { left: leaving.signal, ended };
}

function refuse(response: ServerResponse, refusal: Extract<ProviderAnswer, { refuse: unknown }>['refuse']): void {
  const { status, type, message, headers } = refusal;
  const body = { type: 'error', error: { type, message }, request_id: response.getHeader('request-id') };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
