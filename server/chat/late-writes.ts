import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RequestIds } from '../http/requests/request-id.ts';

const firstDelayMilliseconds = 250;
const longestDelayMilliseconds = 10_000;
/** On the way out a database that comes back has to be noticed soon. */
const lastDelayMilliseconds = 500;
/** How many conversations are written at once when the database is back: it has others to serve. */
const mostAbreast = 8;

type Options = {
  logger: Logger;
  /** Whether trying again cannot help, because the database has understood the write and refused it. */
  isFinal: (error: unknown) => boolean;
  /** How long a client waits for the write before its reply is ended without it. */
  patienceMilliseconds?: number;
  /** How many writes may be late before no new turn may begin; those under way still get in. */
  most?: number;
  clock?: () => number;
};

/** What keeps its order; a conversation is its user's, so that nobody else's question waits for it. */
type Line = { userId: string; conversationId: string };
/** `job` must bear repetition. */
type Write = Line & { ids: RequestIds; job: () => Promise<void> };
type Entry = Write & { since: number; attempts: number; late: boolean; done: PromiseWithResolvers<void> };

export type LateWrites = ReturnType<typeof createLateWrites>;

/**
 * Writes that are tried until they succeed, for as long as the process lives: a database failover loses none. Those of
 * one conversation are made in their order. While the database is away, one attempt at a time looks for it.
 */
export function createLateWrites(options: Options) {
  const { logger, isFinal, patienceMilliseconds = 2_000, most = 1_000, clock = () => performance.now() } = options;
  /** What each conversation has to write, the first of it being tried or waiting for the next attempt. */
  const lines = new Map<string, Entry[]>();
  /** The lines that wait for the next attempt, in the order in which they get it. */
  const waiting = new Set<string>();
  const counts = { late: 0, retried: 0, lost: 0 };
  let longestDelay = longestDelayMilliseconds;
  let rest = new AbortController();
  let restingSince = 0;
  let retrying = false;
  let abandoned = false;

  async function attempt(entry: Entry): Promise<'settled' | 'failed'> {
    const { ids } = entry;
    entry.attempts += 1;
    if (entry.attempts > 1) counts.retried += 1;
    try {
      await entry.job();
      if (entry.attempts > 1) logger.info({ ...ids, attempts: entry.attempts }, 'late write succeeded');
    } catch (error) {
      if (!isFinal(error)) {
        if (entry.attempts === 1)
          logger.warn({ ...ids, err: error }, 'a write failed and is retried until it succeeds');
        return 'failed';
      }
      counts.lost += 1;
      logger.error({ ...ids, err: error }, 'the database refused a write: this row is lost');
    }
    return 'settled';
  }

  /** Makes what a line has to write, up to the first failure. */
  async function advance(key: string): Promise<'settled' | 'failed'> {
    const entries = lines.get(key) ?? [];
    for (let [entry] = entries; entry !== undefined; [entry] = entries) {
      const outcome = await attempt(entry);
      if (abandoned) return outcome;
      if (outcome === 'failed') {
        waiting.add(key);
        if (!retrying) void retry();
        return 'failed';
      }
      entries.shift();
      if (entry.late) counts.late -= 1;
      entry.done.resolve();
    }
    lines.delete(key);
    // The database answers, so that those who wait need not. One that it keeps refusing must not be tried at each success.
    if (retrying && clock() - restingSince >= firstDelayMilliseconds) rest.abort();
    return 'settled';
  }

  async function retry(): Promise<void> {
    retrying = true;
    let delayMilliseconds = firstDelayMilliseconds;
    let abreast = 1;
    while (waiting.size > 0) {
      rest = new AbortController();
      restingSince = clock();
      await delay(delayMilliseconds, undefined, { signal: rest.signal }).catch(() => undefined);
      if (abandoned) return;
      const round = [...waiting].slice(0, abreast);
      for (const key of round) waiting.delete(key);
      const back = (await Promise.all(round.map(advance))).includes('settled');
      abreast = back ? mostAbreast : 1;
      delayMilliseconds = back ? 0 : Math.min(Math.max(2 * delayMilliseconds, firstDelayMilliseconds), longestDelay);
    }
    retrying = false;
  }

  /** Resolves with `work`, or when patience is over. */
  async function patiently(work: Promise<unknown>): Promise<void> {
    const over = Promise.withResolvers<void>();
    // Not a `delay` that is called off: its error, made for every reply, took a twentieth of what a live turn takes.
    const timer = setTimeout(over.resolve, patienceMilliseconds);
    await Promise.race([work, over.promise]);
    clearTimeout(timer);
  }

  return {
    /** Resolves when the write is made, or when patience is over and it goes on by itself. */
    async write(write: Write): Promise<void> {
      const key = keyOf(write);
      const done = Promise.withResolvers<void>();
      // The next attempt may be made while another request's is: what is traced of it belongs to its own.
      const job = AsyncLocalStorage.bind(write.job);
      const entry = { ...write, job, since: clock(), attempts: 0, late: false, done };
      const before = lines.get(key);
      before?.push(entry);
      if (before === undefined) {
        lines.set(key, [entry]);
        void advance(key);
      }
      await patiently(done.promise);
      if (lines.get(key)?.includes(entry) === true) {
        entry.late = true;
        counts.late += 1;
      }
    },

    /** Tries what this conversation has still to write, so that its next question comes after it; with patience too. */
    async catchUp({ userId, conversationId }: { userId: string; conversationId: unknown }): Promise<void> {
      if (typeof conversationId !== 'string') return;
      const key = keyOf({ userId, conversationId });
      const last = lines.get(key)?.at(-1);
      if (last === undefined) return;
      await patiently(waiting.delete(key) ? advance(key) : last.done.promise);
    },

    /** Whether so many writes are late that no new turn may begin. */
    get full(): boolean {
      return counts.late >= most;
    },

    /** How many writes are late now, for how long the oldest has been tried, and what became of others so far. */
    status() {
      const late = [...lines.values()].flat().filter((entry) => entry.late);
      const oldest = late.reduce((earliest, { since }) => Math.min(earliest, since), clock());
      return { ...counts, oldestSeconds: (clock() - oldest) / 1000 };
    },

    /** Tries what is left until `deadline` aborts, then gives up on the rest and says so in the log. */
    async drain(deadline: AbortSignal): Promise<void> {
      longestDelay = lastDelayMilliseconds;
      rest.abort();
      const left = [...lines.values()].flat();
      const expired = new Promise<void>((resolve) => {
        if (deadline.aborted) resolve();
        deadline.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([Promise.all(left.map(({ done }) => done.promise)), expired]);
      abandoned = true;
      rest.abort();
      for (const { ids } of [...lines.values()].flat()) {
        counts.lost += 1;
        logger.error(ids, 'a write was abandoned: this row is lost');
      }
    },
  };
}

function keyOf({ userId, conversationId }: Line): string {
  return `${userId} ${conversationId}`;
}
