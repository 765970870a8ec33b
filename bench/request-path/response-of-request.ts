import { Readable } from 'node:stream';
import type { Agent } from 'undici';
import { type RequestHead, readText, type StreamedResponse } from '../../server/model/streamed-response.ts';
import { standIn } from './stand-in.ts';

/*
 * Loaded before the product: a reply is asked for by undici's `request`, whose body is a stream of Node's.
 */

export { readText };

export async function sendRequest(
  agent: Agent,
  head: RequestHead,
  body: string,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  const sent = Readable.from([body], { objectMode: false });
  const response = await agent.request({ ...head, body: sent, signal });
  return {
    status: response.statusCode,
    headers: response.headers,
    packets: (take) =>
      new Promise((resolve, reject) => {
        const { body } = response;
        body.on('data', (packet: Buffer) => {
          try {
            const taken = take(packet);
            if (taken === undefined) return;
            body.pause();
            taken.then(
              () => body.resume(),
              (error) => body.destroy(error),
            );
          } catch (error) {
            body.destroy(error as Error);
          }
        });
        body.once('end', resolve).once('error', reject);
      }),
  };
}

standIn('server/model/streamed-response.ts', import.meta.url);
