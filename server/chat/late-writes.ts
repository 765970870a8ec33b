import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RequestIds } from '../http/request-context.ts';

const firstPauseMilliseconds = 250;
const maxPauseMilliseconds = 2_000;

type Options = {
  logger: Logger;
  /** Whether trying again cannot help, because the database has understood the write and refused it. */
  isFinal: (error: unknown) => boolean;
  /** How long a client waits for the write before its reply is ended without it. */
  timeoutMilliseconds?: number;
  /** How many writes may be late before no new turn may begin; those under way still get in. */
  maxLate?: number;
  clock?: () => number;
};

/** Whose conversation is written to; a conversation is its user's, so that nobody else's question waits for it. */
type Line = { userId: string; conversationId: unknown };
/** `job` must be idempotent. */
type Write = Line & { ids: RequestIds; job: () => Promise<void> };
type Entry = Write & {
  since: number;
  attempts: number;
  /** The attempt that is being made. */
  attempt: Promise<boolean> | undefined;
  late: boolean;
  settled: PromiseWithResolvers<void>;
};

export type LateWrites = ReturnType<typeof createLateWrites>;

/**
 * Writes that are tried until they succeed, for as long as the process lives: a database failover loses none. One loop tries
 * them, one after the other in the order in which their streams closed; after a failure it goes on with other conversations.
 */
export function createLateWrites(options: Options) {
  const { logger, isFinal, timeoutMilliseconds = 2_000, maxLate = 1_000, clock = () => performance.now() } = options;
  /** What is not written yet, the first that closed first. */
  const entries = new Set<Entry>();
  const counts = { retried: 0, lost: 0 };
  const abandoned = new AbortController();
  let retrying = false;

  /** Resolves with whether the write is settled: made, or refused for good. */
  async function attempt(entry: Entry): Promise<boolean> {
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
        return false;
      }
      counts.lost += 1;
      logger.error({ ...ids, err: error }, 'the database refused a write: this row is lost');
    }
    entries.delete(entry);
    entry.settled.resolve();
    return true;
  }

  /** The same, once for all who ask while it is made. */
  function attemptOnce(entry: Entry): Promise<boolean> {
    entry.attempt ??= attempt(entry).finally(() => {
      entry.attempt = undefined;
    });
    return entry.attempt;
  }

  /** Makes what one conversation has to write, in order, up to the first failure. */
  async function writeLine({ userId, conversationId }: Line): Promise<void> {
    for (const entry of entries) {
      if (entry.userId !== userId || entry.conversationId !== conversationId) continue;
      if (!(await attemptOnce(entry))) return void retry();
    }
  }

  async function retry(): Promise<void> {
    if (retrying) return;
    retrying = true;
    for (let pause = firstPauseMilliseconds; entries.size > 0; pause = Math.min(2 * pause, maxPauseMilliseconds)) {
      await delay(pause, undefined, { signal: abandoned.signal }).catch(() => undefined);
      const failed = new Set<unknown>();
      for (const entry of entries) {
        if (abandoned.signal.aborted) return;
        if (!failed.has(entry.conversationId) && !(await attemptOnce(entry))) failed.add(entry.conversationId);
      }
    }
    retrying = false;
  }

  /** Resolves with `work`, or when the time is over. */
  async function orTimeout(work: Promise<unknown>): Promise<void> {
    const over = Promise.withResolvers<void>();
    // Not a `delay` that is called off: its error, made for every reply, took a twentieth of what a live turn takes.
    const timer = setTimeout(over.resolve, timeoutMilliseconds);
    await Promise.race([work, over.promise]);
    clearTimeout(timer);
  }

  const late = () => [...entries].filter((entry) => entry.late);

  return {
    /** Resolves when the write is made, or when the time is over and it goes on by itself. */
    async write(write: Write): Promise<void> {
      const entry: Entry = {
        ...write,
        // The loop may have been begun by another request: what is traced of the write belongs to its own.
        job: AsyncLocalStorage.bind(write.job),
        since: clock(),
        attempts: 0,
        attempt: undefined,
        late: false,
        settled: Promise.withResolvers(),
      };
      entries.add(entry);
      void writeLine(write);
      await orTimeout(entry.settled.promise);
      entry.late = true;
    },

    /** Tries what this conversation has still to write, so that its next question comes after it; not for long either. */
    async catchUp(line: Line): Promise<void> {
      if (entries.size > 0) await orTimeout(writeLine(line));
    },

    /** Whether so many writes are late that no new turn may begin. */
    get full(): boolean {
      return late().length >= maxLate;
    },

    /** How many writes are late now, for how long the oldest has been tried, and what became of others so far. */
    status() {
      const oldest = late().reduce((earliest, { since }) => Math.min(earliest, since), clock());
      return { ...counts, late: late().length, oldestSeconds: (clock() - oldest) / 1000 };
    },

    /** Tries what is left until `deadline` aborts, then gives up on the rest and says so in the log. */
    async drain(deadline: AbortSignal): Promise<void> {
      const left = Promise.all([...entries].map(({ settled }) => settled.promise));
      const expired = new Promise<void>((resolve) => {
        if (deadline.aborted) resolve();
        deadline.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([left, expired]);
      abandoned.abort();
      for (const { ids } of entries) {
        counts.lost += 1;
        logger.error(ids, 'a write was abandoned: this row is lost');
      }
    },
  };
}
