import { setTimeout as delay } from 'node:timers/promises';
import { now } from '../clock.ts';
import { answerCalls } from '../processes/answer-calls.ts';
import { deltaTexts, type ReplyPlan, variants } from '../provider/reply-plan.ts';
import { type Exchange, exchange } from './exchange.ts';
import { requestOf, type Visitor } from './visitor.ts';

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
  exchanges: { stream: number; sentAt: number; receivedAt: Float64Array }[];
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
  const expected = deltaTexts(plan.reply).map((texts) => texts.map((text) => Buffer.from(text)));
  const results: (Exchange & { stream: number })[] = [];
  const startedAt = now();
  let next = 0;
  flowing = 0;
  left = new AbortController();

  async function ask(stream: number): Promise<void> {
    const visitor = visitors[stream % visitors.length];
    if (visitor === undefined) throw new Error('There is no visitor.');
    const result = await exchange({
      port,
      request: requestOf(stream, path, visitor),
      expected: expected[stream % variants] ?? [],
      left: left.signal,
      onFirstText() {
        flowing += 1;
      },
    });
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
    exchanges: results.map(({ stream, sentAt, receivedAt }) => ({
      stream,
      sentAt,
      receivedAt: Float64Array.from(receivedAt),
    })),
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

answerCalls(calls);
