import type Anthropic from '@anthropic-ai/sdk';
import type { Agent } from 'undici';
import * as own from '../../server/model/anthropic-client.ts';
import { type RequestHead, readText, type StreamedResponse } from '../../server/model/streamed-response.ts';
import { standIn } from './stand-in.ts';
import { packetsOf } from './web-packets.ts';

/*
 * Loaded before the product: the SDK makes, sends and receives each request as it does by itself.
 */

export { readText };

let client: Anthropic | undefined;

export function createAnthropicClient(options: Parameters<typeof own.createAnthropicClient>[0]): Anthropic {
  client = own.createAnthropicClient(options);
  return client;
}

export const messagesHead = own.messagesHead;

export async function sendRequest(
  _agent: Agent,
  _head: RequestHead,
  body: string,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  if (client === undefined) throw new Error('There is no client.');
  const headers = { 'content-type': 'application/json' };
  const response = await client.post('/v1/messages', { body, headers, stream: true, signal }).asResponse();
  if (response.body === null) throw new Error('The response has no body.');
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    packets: packetsOf(response.body),
  };
}

standIn('server/model/anthropic-client.ts', import.meta.url);
standIn('server/model/streamed-response.ts', import.meta.url);
