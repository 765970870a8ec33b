import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

const firstDelayMilliseconds = 250;
const longestDelayMilliseconds = 10_000;

type Options = {
  logger: Logger;
  /** Whether trying again cannot help, because the database has understood the write and refused it. */
  isFinal: (error: unknown) => boolean;
  /** How long a client waits for the write before its reply is ended without it. */
  patienceMilliseconds?: number;
};

/** Writes that are tried until they succeed, for as long as the process lives: a database failover loses none. */
export function createLateWrites({ logger, isFinal, patienceMilliseconds = 2_000 }: Options) {
  const pending = new Set<Promise<void>>();
  const abandoned = new AbortController();

  async function persist(job: () => Promise<void>, requestId: string): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await job();
        if (attempt > 0) logger.info({ requestId, attempts: attempt + 1 }, 'late write succeeded');
        return;
      } catch (error) {
        if (isFinal(error)) {
          logger.error({ requestId, err: error }, 'the database refused a write: this row is lost');
          return;
        }
        if (attempt === 0) logger.warn({ requestId, err: error }, 'a write failed and is retried until it succeeds');
        await delay(Math.min(firstDelayMilliseconds * 2 ** attempt, longestDelayMilliseconds), undefined, {
          signal: abandoned.signal,
        });
      }
    }
  }

  return {
    /** Resolves when `job` is done, or when patience is over and it goes on by itself. `job` must bear repetition. */
    async write(job: () => Promise<void>, requestId: string): Promise<void> {
      const done = persist(job, requestId).catch((error) => {
        logger.error({ requestId, err: error }, 'a write was abandoned: this row is lost');
      });
      pending.add(done);
      void done.finally(() => pending.delete(done));
      const patience = new AbortController();
      const patient = delay(patienceMilliseconds, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([done, patient]);
      patience.abort();
    },

    /** Waits for what is pending until `deadline` aborts, then gives up on the rest and says so in the log. */
    async drain(deadline: AbortSignal): Promise<void> {
      const abandon = () => abandoned.abort();
      if (deadline.aborted) abandon();
      deadline.addEventListener('abort', abandon, { once: true });
      await Promise.all(pending);
      deadline.removeEventListener('abort', abandon);
    },
  };
}

export type LateWrites = ReturnType<typeof createLateWrites>;
