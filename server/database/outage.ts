import type { Logger } from 'pino';
import { isAway } from './away.ts';

/** How long calls wait for the database, from the first failure after a success on. */
const patienceMilliseconds = 10_000;

/** Between two looks for it: while calls wait, and after that. */
const shortPauseMilliseconds = 200;
const longPauseMilliseconds = 2_000;

/** How long one look may take. A connection to a server that has vanished without a word says nothing for longer. */
const lookMilliseconds = 2_000;
const shortestLookMilliseconds = 500;

/** What a call holds while it waits. */
export type Waiting = {
  /** Aborts when the call has no use for the database any more; the call then fails with its reason. */
  ended: AbortSignal;
} & Disposable;

/** Asked for before a call waits for the first time; it throws where the call may not wait. */
export type Wait = () => Waiting;

type Options = {
  /** Rejects unless the database answers and takes writes. */
  probe: () => Promise<unknown>;
  logger: Logger;
  /** Milliseconds of a clock that is never set. */
  clock?: () => number;
};

export type Outage = ReturnType<typeof createOutage>;

/**
 * Whether the database is away, and since when, for the whole process. The first call that does not reach it tells that an
 * outage has begun. From then on one look after the other is made until it is back, however many calls wait.
 */
export function createOutage({ probe, logger, clock = () => performance.now() }: Options) {
  const waiting = new Set<{ resolve: () => void; reject: (error: unknown) => void }>();
  let since: number | undefined;
  let looking = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  /** How long calls go on waiting; not positive once the outage has outlasted their patience. */
  const left = (beganAt: number) => beganAt + patienceMilliseconds - clock();

  function schedule(beganAt: number): void {
    const patience = left(beganAt);
    timer = setTimeout(look, patience > 0 ? Math.min(patience, shortPauseMilliseconds) : longPauseMilliseconds);
    timer.unref();
  }

  async function look(): Promise<void> {
    if (since === undefined || looking) return;
    clearTimeout(timer);
    looking = true;
    const error = await failureOf(probe, Math.max(shortestLookMilliseconds, Math.min(lookMilliseconds, left(since))));
    looking = false;
    // It has been closed meanwhile.
    if (since === undefined) return;
    if (error === undefined) return end(since);
    if (left(since) <= 0) for (const { reject } of waiting) reject(error);
    schedule(since);
  }

  function end(beganAt: number): void {
    since = undefined;
    logger.info({ seconds: Math.round((clock() - beganAt) / 1000) }, 'the database is back');
    for (const { resolve } of waiting) resolve();
  }

  /** Resolves when the database is back; rejects when patience is over or `ended` aborts. */
  async function back({ ended }: Waiting): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry = { resolve, reject };
    const leave = () => reject(ended.reason);
    ended.addEventListener('abort', leave);
    if (ended.aborted) leave();
    waiting.add(entry);
    try {
      await promise;
    } finally {
      waiting.delete(entry);
      ended.removeEventListener('abort', leave);
    }
  }

  /** A call has been answered: the outage may be over, or the database answers and takes no writes. */
  function answered(): void {
    if (since !== undefined) void look();
  }

  function failed(error: unknown): void {
    if (since !== undefined || closed || !isAway(error)) return;
    since = clock();
    logger.warn({ err: error }, 'the database is away: turns wait for it');
    schedule(since);
  }

  return {
    answered,
    failed,

    /**
     * Does `work`, and while the database has just gone waits for it and does it again: `work` must bear repetition, because
     * its answer may have been lost. What fails for another reason fails at once, and so does everything once the outage
     * has lasted for ten seconds.
     */
    async outlast<T>(work: () => Promise<T>, wait: Wait): Promise<T> {
      let held: Waiting | undefined;
      let firstFailedAt = Number.POSITIVE_INFINITY;
      try {
        for (;;) {
          while (since !== undefined && left(since) > 0) {
            held ??= wait();
            await back(held);
          }
          try {
            return await work();
          } catch (error) {
            if (!isAway(error)) throw error;
            failed(error);
            firstFailedAt = Math.min(firstFailedAt, clock());
            // The second one bounds what keeps failing although the database answers in between.
            if (since === undefined || left(since) <= 0 || left(firstFailedAt) <= 0) throw error;
          }
        }
      } finally {
        held?.[Symbol.dispose]();
      }
    },

    /** No more looks are made. */
    close(): void {
      closed = true;
      since = undefined;
      clearTimeout(timer);
    },
  };
}

/** What `probe` is rejected with; it has `milliseconds` to answer. */
async function failureOf(probe: () => Promise<unknown>, milliseconds: number): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The database gives no answer.')), milliseconds);
  try {
    await Promise.race([probe(), promise]);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    clearTimeout(timer);
  }
}
