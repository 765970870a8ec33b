import { setTimeout as delay } from 'node:timers/promises';
import { answerCalls, now } from './calls.ts';
import { chunked, type Exchange, exchange } from './exchange.ts';
import { deltaTexts, questionOf, type ReplyPlan, variants } from './reply.ts';

/*
 * Sends requests and checks the replies, in a process of its own, so that neither its work nor its garbage is in the serving
 * process's accounts.
 */

export type LoadPlan = {
  port: number;
  path: string;
  reply: ReplyPlan;
  /** the number of the first request; each has the next */
  first: number;
  streams: number;
  /** at most this many at once */
  concurrency: number;
  /** between the starts of two requests; 0 starts the next as soon as there is room */
  spacingMilliseconds: number;
  /** the first requests come evenly within this time, to be there when the others come, after a second's rest */
  fill?: { streams: number; milliseconds: number };
};

const restMilliseconds = 1000;

export type LoadResult = {
  exchanges: (Exchange & { stream: number })[];
  /** sentences, of the first five that went wrong */
  failures: string[];
  failed: number;
  elapsedMilliseconds: number;
};

let visitors: Visitor[] = [{ cookie: 'none', conversationId: undefined }];
let flowing = 0;
let left = new AbortController();

async function run(plan: LoadPlan): Promise<LoadResult> {
  const { port, path, first, streams, concurrency } = plan;
  const expected = deltaTexts(plan.reply).map(chunked);
  const results: (Exchange & { stream: number })[] = [];
  const startedAt = now();
  let next = 0;
  flowing = 0;
  left = new AbortController();

  const onFirstText = () => {
    flowing += 1;
  };
  async function ask(stream: number): Promise<void> {
    const visitor = visitors[stream % visitors.length];
    const reply = expected[stream % variants];
    if (visitor === undefined || reply === undefined) throw new Error('There is no visitor, or no reply.');
    const request = requestOf(stream, path, visitor);
    const result = await exchange({ port, request, expected: reply, onFirstText, left: left.signal });
    visitor.conversationId = result.conversationId ?? visitor.conversationId;
    results.push({ ...result, stream });
  }

  async function askInTurn(): Promise<void> {
    while (next < streams && !left.signal.aborted) {
      const own = next;
      next += 1;
      const early = startedAt + startOf(own, plan) - now();
      if (early > 0) await delay(early);
      await ask(first + own);
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, streams) }, askInTurn));

  const failures = results.flatMap(({ failure }) => failure ?? []);
  return {
    exchanges: results,
    failures: failures.slice(0, 5),
    failed: failures.length,
    elapsedMilliseconds: now() - startedAt,
  };
}

/** When a request is due, in milliseconds from the beginning. */
function startOf(own: number, { spacingMilliseconds, fill }: LoadPlan): number {
  if (fill === undefined) return own * spacingMilliseconds;
  if (own < fill.streams) return (own * fill.milliseconds) / fill.streams;
  return fill.milliseconds + restMilliseconds + (own - fill.streams) * spacingMilliseconds;
}

const calls = {
  /** Sets who asks, in turn, by their cookies. */
  invite(cookies: string[]): void {
    visitors = cookies.map((cookie) => ({ cookie, conversationId: undefined }));
  },

  run,

  /** How many streams of the present run have had their first text. */
  flowing: () => flowing,

  /** Leaves every stream of the present run as it is; `run` then resolves. */
  leave: () => left.abort(),
};

export type LoadCalls = typeof calls;

/** Someone who asks: each has an address, and on live chat a session and a conversation that goes on. */
type Visitor = { cookie: string; conversationId: string | undefined };

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
function requestOf(stream: number, path: string, { cookie, conversationId }: Visitor): string {
  const body = JSON.stringify({
    messages: [...history, { role: 'user', content: questionOf(stream) }],
    ...(conversationId !== undefined && { conversationId }),
  });
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

answerCalls(calls);
