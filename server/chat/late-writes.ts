import type { Logger } from 'pino';
import type { RequestIds } from '../http/request-context.ts';

const firstPauseMilliseconds = 250;
const maxPauseMilliseconds = 2_000;

type Options = {
  logger: Logger;
  /** Whether another attempt cannot succeed, because the database has understood the write and refused it. */
  isFinal: (error: unknown) => boolean;
  /** How long a client waits for the write before its reply ends without it: the write is late from then on. */
  timeoutMilliseconds?: number;
  /** How many writes may be late before no new turn may begin. Turns in flight can still add theirs. */
  maxLate?: number;
  clock?: () => number;
};

type Write = {
  /** A conversation belongs to its user: the id that another user sends does not wait for it. */
  userId: string;
  conversationId: string;
  ids: RequestIds;
  /** Must be idempotent: the answer to a successful attempt may be lost. */
  job: () => Promise<void>;
};

type PendingWrite = { ids: RequestIds; since: number; isLate: boolean };

export type LateWrites = ReturnType<typeof createLateWrites>;

/**
 * Repeats writes until they succeed, for as long as the process lives, so that a database failover loses none. The writes of
 * one conversation form a chain of promises: each begins when the one before it is settled. Conversations do not wait for
 * each other.
 */
export function createLateWrites(options: Options) {
  const { logger, isFinal, timeoutMilliseconds = 2_000, maxLate = 1_000, clock = () => performance.now() } = options;
  /** The writes that are not settled, in the order in which their replies ended. */
  const pending = new Set<PendingWrite>();
  /** For each conversation with pending writes, the end of its chain. */
  const chains = new Map<string, Promise<void>>();
  /** For each conversation that pauses between two attempts, what ends the pause. */
  const pauses = new Map<string, () => void>();
  const counts = { retried: 0, lost: 0 };
  let abandoned = false;

  /** Resolves when the write is made, refused for good, or abandoned. */
  async function untilSettled(chain: string, { ids, job }: Write): Promise<void> {
    let pauseMilliseconds = firstPauseMilliseconds;
    for (let attempts = 1; !abandoned; attempts += 1) {
      if (attempts > 1) counts.retried += 1;
      try {
        await job();
        if (attempts > 1) logger.info({ ...ids, attempts }, 'late write succeeded');
        return;
      } catch (error) {
        if (isFinal(error)) {
          counts.lost += 1;
          logger.error({ ...ids, err: error }, 'the database refused a write: this row is lost');
          return;
        }
        if (attempts === 1) logger.warn({ ...ids, err: error }, 'a write failed and is retried until it succeeds');
      }
      await pause(chain, pauseMilliseconds);
      pauseMilliseconds = Math.min(2 * pauseMilliseconds, maxPauseMilliseconds);
    }
  }

  function pause(chain: string, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        pauses.delete(chain);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      pauses.set(chain, end);
    });
  }

  /** Resolves with `work`, or after `timeoutMilliseconds`. */
  async function orTimeout(work: Promise<void>): Promise<void> {
    const timedOut = Promise.withResolvers<void>();
    // An aborted `delay` would make an error for every reply, which took a twentieth of a live turn's processor time.
    const timer = setTimeout(timedOut.resolve, timeoutMilliseconds);
    await Promise.race([work, timedOut.promise]);
    clearTimeout(timer);
  }

  const lateWrites = () => [...pending].filter(({ isLate }) => isLate);

  return {
    /** Resolves when the write has completed or is refused for good, or after the timeout. The retries then continue in the background. */
    async write(write: Write): Promise<void> {
      const chain = chainOf(write.userId, write.conversationId);
      const entry: PendingWrite = { ids: write.ids, since: clock(), isLate: false };
      pending.add(entry);
      const before = chains.get(chain);
      const settled = before ? before.then(() => untilSettled(chain, write)) : untilSettled(chain, write);
      const end = settled.then(() => {
        if (!abandoned) pending.delete(entry);
        if (chains.get(chain) === end) chains.delete(chain);
      });
      chains.set(chain, end);
      await orTimeout(end);
      entry.isLate = true;
    },

    /** Attempts at once what the conversation has still to write, so that its next question is stored after it; waits as `write` does. */
    async catchUp({ userId, conversationId }: { userId: string; conversationId: unknown }): Promise<void> {
      if (chains.size === 0 || typeof conversationId !== 'string') return;
      const chain = chainOf(userId, conversationId);
      pauses.get(chain)?.();
      const end = chains.get(chain);
      if (end !== undefined) await orTimeout(end);
    },

    /** Whether so many writes are late that no new turn may begin. */
    get full(): boolean {
      return lateWrites().length >= maxLate;
    },

    /** How many writes are late, for how long the oldest has been pending, and how many attempts were repeated and rows lost so far. */
    status() {
      const late = lateWrites();
      const oldest = Math.min(clock(), ...late.map(({ since }) => since));
      return { ...counts, late: late.length, oldestSeconds: (clock() - oldest) / 1000 };
    },

    /** Resolves when nothing is pending, or when `deadline` aborts: the remaining writes are then logged as lost. */
    async drain(deadline: AbortSignal): Promise<void> {
      const expired = new Promise<void>((resolve) => {
        if (deadline.aborted) resolve();
        deadline.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([Promise.all(chains.values()), expired]);
      abandoned = true;
      for (const end of [...pauses.values()]) end();
      for (const { ids } of pending) {
        counts.lost += 1;
        logger.error(ids, 'a write was abandoned: this row is lost');
      }
    },
  };
}

/** Ids of users have no space. */
function chainOf(userId: string, conversationId: string): string {
  return `${userId} ${conversationId}`;
}
