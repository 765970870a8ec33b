import type { Logger } from 'pino';
import type { RequestIds } from '../http/request-context.ts';

const firstDelayMilliseconds = 250;
const maxDelayMilliseconds = 2_000;

type Options = {
  logger: Logger;
  /** Returns true if a retry cannot succeed, because the database has processed and rejected the write. */
  isFinal: (error: unknown) => boolean;
  /** How long a response waits for its write. After this time, the write counts as late. */
  timeoutMilliseconds?: number;
  /** New turns are refused at this many late writes. Turns in flight can still add their writes. */
  maxLate?: number;
  clock?: () => number;
};

type Write = {
  /** Part of the key, so that a user who sends another user's conversation id never waits for that user's writes. */
  userId: string;
  conversationId: string;
  ids: RequestIds;
  /** Must be idempotent: the result of a successful attempt can be lost. */
  job: () => Promise<void>;
};

type PendingWrite = { ids: RequestIds; since: number; isLate: boolean; isInFlight: boolean };

export type LateWrites = ReturnType<typeof createLateWrites>;

/**
 * Stores replies and settles budgets, even after the responses have ended. `live-turn` calls `write` at the end of a turn, and
 * `catchUp` before it stores the next question of the conversation. `stream-limit` refuses turns while `isFull`, and the shutdown
 * calls `drain` once all requests have finished or its deadline has passed.
 *
 * Retries a write until it succeeds, the database rejects it or the deadline of `drain` passes, so that a database failover
 * loses no write. The writes of one conversation run in order, as a chain of promises. Conversations do not wait for each other.
 */
export function createLateWrites(options: Options) {
  const { logger, isFinal, timeoutMilliseconds = 2_000, maxLate = 1_000, clock = () => performance.now() } = options;
  const pending = new Set<PendingWrite>();
  const chains = new Map<string, Promise<void>>();
  /** Functions that end the backoff of a conversation early. */
  const backoffs = new Map<string, () => void>();
  const counts = { retried: 0, lost: 0 };
  let abandoned = false;

  /** Resolves when the write has succeeded, been rejected by the database, or been abandoned. */
  async function retryUntilDone(chain: string, { ids, job }: Write, entry: PendingWrite): Promise<void> {
    let delayMilliseconds = firstDelayMilliseconds;
    for (let attempts = 1; !abandoned; attempts += 1) {
      if (attempts > 1) counts.retried += 1;
      entry.isInFlight = true;
      try {
        await job();
        if (attempts > 1) logger.info({ ...ids, attempts }, 'late write succeeded');
        return;
      } catch (error) {
        if (isFinal(error)) {
          counts.lost += 1;
          logger.error({ ...ids, err: error }, 'the database rejected a write; the write is lost');
          return;
        }
        if (attempts === 1) logger.warn({ ...ids, err: error }, 'a database write failed; retrying');
      }
      entry.isInFlight = false;
      // `drain` has counted only the writes that were not in flight.
      if (abandoned) return abandon(ids);
      await backOff(chain, delayMilliseconds);
      delayMilliseconds = Math.min(2 * delayMilliseconds, maxDelayMilliseconds);
    }
  }

  function abandon(ids: RequestIds): void {
    counts.lost += 1;
    logger.error(ids, 'the process stopped before it could repeat a write; the write is lost');
  }

  function backOff(chain: string, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        backoffs.delete(chain);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      backoffs.set(chain, end);
    });
  }

  async function waitWithTimeout(end: Promise<void>): Promise<void> {
    const timedOut = Promise.withResolvers<void>();
    // A timer of `node:timers/promises` would create an error for each reply when it is aborted, which took 5% of a live
    // turn's processor time.
    const timer = setTimeout(timedOut.resolve, timeoutMilliseconds);
    await Promise.race([end, timedOut.promise]);
    clearTimeout(timer);
  }

  const lateWrites = () => [...pending].filter(({ isLate }) => isLate);

  return {
    /** Resolves when the write is done, or after the timeout. Retries then continue in the background. */
    async write(write: Write): Promise<void> {
      const chain = chainKey(write.userId, write.conversationId);
      const entry: PendingWrite = { ids: write.ids, since: clock(), isLate: false, isInFlight: false };
      pending.add(entry);
      const previous = chains.get(chain);
      const run = () => retryUntilDone(chain, write, entry);
      const written = previous ? previous.then(run) : run();
      const end = written.then(() => {
        pending.delete(entry);
        if (chains.get(chain) === end) chains.delete(chain);
      });
      chains.set(chain, end);
      await waitWithTimeout(end);
      entry.isLate = true;
    },

    /** Retries the pending writes at once, so that the next question is stored after them. Waits at most as long as `write`. */
    async catchUp({ userId, conversationId }: { userId: string; conversationId: unknown }): Promise<void> {
      if (chains.size === 0 || typeof conversationId !== 'string') return;
      const chain = chainKey(userId, conversationId);
      backoffs.get(chain)?.();
      const end = chains.get(chain);
      if (end !== undefined) await waitWithTimeout(end);
    },

    get isFull(): boolean {
      return lateWrites().length >= maxLate;
    },

    /** `oldestSeconds` is the age of the oldest late write; `retried` and `lost` are totals since startup. */
    status() {
      const late = lateWrites();
      const oldest = Math.min(clock(), ...late.map(({ since }) => since));
      return { ...counts, late: late.length, oldestSeconds: (clock() - oldest) / 1000 };
    },

    /**
     * Resolves when nothing is pending or `deadline` aborts. The remaining writes are then logged as lost, except those in flight,
     * which the database can still commit.
     */
    async drain(deadline: AbortSignal): Promise<void> {
      const expired = new Promise<void>((resolve) => {
        if (deadline.aborted) resolve();
        deadline.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([Promise.all(chains.values()), expired]);
      abandoned = true;
      for (const end of [...backoffs.values()]) end();
      for (const { ids, isInFlight } of pending) {
        if (isInFlight) logger.error(ids, 'the process stopped during a write; the write may be lost');
        else abandon(ids);
      }
    },
  };
}

/** User ids contain no spaces, so keys are unambiguous. */
function chainKey(userId: string, conversationId: string): string {
  return `${userId} ${conversationId}`;
}
