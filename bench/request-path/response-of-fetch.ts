import { type Agent, fetch } from 'undici';
import { type RequestHead, readText, type StreamedResponse } from '../../server/model/streamed-response.ts';
import { standIn } from './stand-in.ts';
import { packetsOf } from './web-packets.ts';

/*
 * Loaded before the product: a reply is asked for by `fetch`, whose body is a stream of the web's.
 */

export { readText };

export async function sendRequest(
  dispatcher: Agent,
  { origin, path, headers }: RequestHead,
  body: string,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  const flat = headers as string[];
  const pairs = flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: pairs as [string, string][],
    body,
    signal,
    dispatcher,
    redirect: 'manual',
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    packets: packetsOf(response.body as ReadableStream<Uint8Array>),
  };
}

standIn('server/model/streamed-response.ts', import.meta.url);
