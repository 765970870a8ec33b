import { setTimeout as delay } from 'node:timers/promises';
import { now } from './calls.ts';
import { chunked, type Exchange, exchange } from './exchange.ts';
import { deltaTexts, questionOf, type ReplyPlan, variantCount } from './reply.ts';

export type LoadPlan = {
  port: number;
  path: string;
  /** The session cookies, which the requests use in rotation. */
  cookies: readonly string[];
  reply: ReplyPlan;
  /** The number of the first request. The other numbers follow in sequence. */
  first: number;
  streams: number;
  concurrency: number;
  /** The interval between the starts of two requests. With 0, the next one starts as soon as `concurrency` permits. */
  spacingMilliseconds: number;
};

export type NumberedExchange = Exchange & { stream: number };

/** `streaming` resolves once every reply has started; `disconnect` closes all connections. */
export function startLoad(plan: LoadPlan) {
  const { port, path, cookies, first, streams, concurrency, spacingMilliseconds } = plan;
  const expected = deltaTexts(plan.reply).map(chunked);
  const exchanges: NumberedExchange[] = [];
  const startedAt = now();
  const disconnect = new AbortController();
  const streaming = Promise.withResolvers<void>();
  let next = 0;
  let started = 0;

  function onFirstText(): void {
    started += 1;
    if (started === streams) streaming.resolve();
  }

  async function sendRequests(): Promise<void> {
    while (next < streams && !disconnect.signal.aborted) {
      const index = next;
      next += 1;
      const wait = startedAt + index * spacingMilliseconds - now();
      if (wait > 0) await delay(wait);
      const stream = first + index;
      const request = requestOf(stream, path, cookies[stream % cookies.length] ?? '');
      const reply = expected[stream % variantCount] ?? Buffer.alloc(0);
      const result = await exchange({ port, request, expected: reply, onFirstText, disconnect: disconnect.signal });
      exchanges.push({ ...result, stream });
    }
  }

  const finished = Promise.all(Array.from({ length: Math.min(concurrency, streams) }, sendRequests));
  return {
    finished: finished.then(() => exchanges),
    streaming: streaming.promise,
    disconnect: () => disconnect.abort(),
  };
}

/** An earlier turn, so that requests have the size of a conversation that is in progress. */
const earlierQuestion =
  'Most of our lead time is waiting, we believe. Where would you begin, and what would you measure first?';
const earlierReply =
  'Begin with one product family and follow twenty orders from receipt to dispatch. Note for every step when work could ' +
  'have begun and when it did. The gap between the two is waiting; add it up by step, and you have the first ranking. ' +
  'Twenty orders are enough to see which step dominates, and too few to split by customer, so leave that for later.';
const history = [
  { role: 'user', content: earlierQuestion },
  { role: 'assistant', content: earlierReply },
];

/** Returns request number `stream` as a TLS-terminating proxy would forward it. Contenders differ only in path and cookie. */
function requestOf(stream: number, path: string, cookie: string): string {
  const body = JSON.stringify({ messages: [...history, { role: 'user', content: questionOf(stream) }] });
  return [
    `POST ${path} HTTP/1.1`,
    'Host: chat.example.com',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Accept: */*',
    'X-Forwarded-Proto: https',
    `X-Forwarded-For: ${addressOf(stream)}`,
    `Cookie: ${cookie}`,
    '',
    body,
  ].join('\r\n');
}

/** Returns a different client address for each request, so that the rate limit of demo chat refuses none. */
function addressOf(stream: number): string {
  return [10, stream >> 16, stream >> 8, stream].map((part) => part & 255).join('.');
}
