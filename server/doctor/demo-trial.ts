import { ulid } from 'ulid';
import { Agent, fetch, type Response } from 'undici';
import { headers, routes } from '../../shared/interface.ts';

const patienceMilliseconds = 120_000;

/** What wants an answer of some length. */
const question = 'Count from one to fifty in words, one number to a line.';

/** One reply of demo chat, as it came through everything between here and the address. Times are from the request on. */
export type DemoTrial = {
  /** The request id that was sent along. */
  requestId: string;
  response: Response;
  text: string;
  chunks: number;
  firstChunkMilliseconds: number;
  endMilliseconds: number;
};

type Address = {
  url: string;
  /** The name that its certificate has to have, where that is not the one in `url`. */
  servername?: string;
  /** What a proxy in front would say. */
  headers?: Record<string, string>;
};

/** @throws where the address cannot be reached, its certificate is not trusted, or the connection breaks */
export async function tryDemo({ url, servername, headers: others }: Address): Promise<DemoTrial> {
  const agent = new Agent({ connect: { ...(servername !== undefined && { servername }) } });
  try {
    const requestId = ulid();
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    const response = await fetch(`${url}${routes.demoChat}`, {
      method: 'POST',
      headers: { ...others, 'Content-Type': 'application/json', [headers.requestId]: requestId },
      body: JSON.stringify({ messages: [{ role: 'user', content: question }] }),
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMilliseconds),
      dispatcher: agent,
    });
    const decoder = new TextDecoder();
    const trial = { requestId, response, text: '', chunks: 0, firstChunkMilliseconds: 0 };
    for await (const chunk of response.body ?? []) {
      if (trial.chunks === 0) trial.firstChunkMilliseconds = elapsed();
      trial.chunks += 1;
      trial.text += decoder.decode(chunk, { stream: true });
    }
    return { ...trial, endMilliseconds: elapsed() };
  } finally {
    await agent.close();
  }
}
