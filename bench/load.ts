import { setTimeout as delay } from 'node:timers/promises';
import { now } from './calls.ts';
import { chunked, type Exchange, exchange } from './exchange.ts';
import { deltaTexts, questionOf, type ReplyPlan, variants } from './reply.ts';

export type LoadPlan = {
  port: number;
  path: string;
  /** who asks, in turn */
  cookies: readonly string[];
  reply: ReplyPlan;
  /** the number of the first request; each has the next */
  first: number;
  streams: number;
  /** at most this many at once */
  concurrency: number;
  /** between the starts of two requests; 0 starts the next as soon as there is room */
  spacingMilliseconds: number;
};

/** What became of each request, with its number. */
export type Asked = Exchange & { stream: number };

/** Sends requests and checks the replies. `flowing` resolves once every stream has had its first text; `leave` leaves them all. */
export function startLoad(plan: LoadPlan) {
  const { port, path, cookies, first, streams, concurrency, spacingMilliseconds } = plan;
  const expected = deltaTexts(plan.reply).map(chunked);
  const exchanges: Asked[] = [];
  const startedAt = now();
  const left = new AbortController();
  const flowing = Promise.withResolvers<void>();
  let next = 0;
  let begun = 0;

  function onFirstText(): void {
    begun += 1;
    if (begun === streams) flowing.resolve();
  }

  async function askInTurn(): Promise<void> {
    while (next < streams && !left.signal.aborted) {
      const own = next;
      next += 1;
      const early = startedAt + own * spacingMilliseconds - now();
      if (early > 0) await delay(early);
      const stream = first + own;
      const request = requestOf(stream, path, cookies[stream % cookies.length] ?? '');
      const reply = expected[stream % variants] ?? Buffer.alloc(0);
      const result = await exchange({ port, request, expected: reply, onFirstText, left: left.signal });
      exchanges.push({ ...result, stream });
    }
  }

  const finished = Promise.all(Array.from({ length: Math.min(concurrency, streams) }, askInTurn));
  return { finished: finished.then(() => exchanges), flowing: flowing.promise, leave: () => left.abort() };
}

/** A turn in the middle of a conversation. */
const asked = 'Most of our lead time is waiting, we believe. Where would you begin, and what would you measure first?';
const answered =
  'Begin with one product family and follow twenty orders from receipt to dispatch. Note for every step when work could ' +
  'have begun and when it did. The gap between the two is waiting; add it up by step, and you have the first ranking. ' +
  'Twenty orders are enough to see which step dominates, and too few to split by customer, so leave that for later.';
const history = [
  { role: 'user', content: asked },
  { role: 'assistant', content: answered },
];

/** Request number `stream` as bytes go over the wire behind a proxy that ends TLS; the same for every contender. */
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

/** An address of its own for each request, so that demo chat's limit refuses none. */
function addressOf(stream: number): string {
  return [10, stream >> 16, stream >> 8, stream].map((part) => part & 255).join('.');
}
