import type Anthropic from '@anthropic-ai/sdk';
import type { Agent } from 'undici';
import * as own from '../../server/model/anthropic-client.ts';
import {
  type RequestHead,
  readText,
  type StreamedResponse,
  sendRequest as send,
} from '../../server/model/streamed-response.ts';
import { standIn } from './stand-in.ts';

/*
 * Loaded before the product: the SDK's own `post` makes and sends each request, by a `fetch` that is the product's exchange.
 */

export { readText };

const agents = new Map<Anthropic, Agent>();
let client: Anthropic | undefined;

class CarriedResponse extends Response {
  readonly streamed: StreamedResponse;

  constructor(streamed: StreamedResponse) {
    const headers = Object.entries(streamed.headers).map(([name, value]): [string, string] => [name, String(value)]);
    super(null, { status: streamed.status, headers });
    this.streamed = streamed;
  }
}

export function createAnthropicClient(options: Parameters<typeof own.createAnthropicClient>[0]): Anthropic {
  const created = own.createAnthropicClient(options).withOptions({
    async fetch(url, { headers, body, signal } = {}) {
      const agent = agents.get(created);
      if (agent === undefined || !signal) throw new Error('The request has no agent or no signal.');
      const { origin, pathname, search } = new URL(String(url));
      const head = { origin, path: `${pathname}${search}`, method: 'POST', headers: [...new Headers(headers)].flat() };
      return new CarriedResponse(await send(agent, head, String(body), signal));
    },
  });
  client = created;
  return created;
}

export const messagesHead = own.messagesHead;

export async function sendRequest(
  agent: Agent,
  _head: RequestHead,
  body: string,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  if (client === undefined) throw new Error('There is no client.');
  agents.set(client, agent);
  const headers = { 'content-type': 'application/json' };
  const response = await client.post('/v1/messages', { body, headers, stream: true, signal }).asResponse();
  if (!(response instanceof CarriedResponse)) throw new Error('The response was not made by our fetch.');
  return response.streamed;
}

standIn('server/model/anthropic-client.ts', import.meta.url);
standIn('server/model/streamed-response.ts', import.meta.url);
