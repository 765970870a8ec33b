import type { Logger } from 'pino';
import { AppError } from '../app-error.ts';

/** How long a reply goes on, at most, after its session has been ended by another process. */
const defaultIntervalMilliseconds = 1_000;

type Options = {
  /** Which of these sessions have not been ended. */
  living: (sessionIds: readonly string[]) => Promise<ReadonlySet<string>>;
  logger: Logger;
  intervalMilliseconds?: number;
};

export type SessionWatch = ReturnType<typeof createSessionWatch>;

/**
 * Ends a reply when the session that asked for it has been ended: by its person, on whatever device, or by an operator who
 * suspended, signed out or deleted them. One statement asks for all replies under way; without any, nothing is asked.
 */
export function createSessionWatch({ living, logger, intervalMilliseconds = defaultIntervalMilliseconds }: Options) {
  const ends = new Map<string, Set<AbortController>>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    if (ends.size === 0) return;
    try {
      // Those that are asked for, and not those that have begun by the time the answer is there.
      const asked = [...ends];
      const alive = await living(asked.map(([sessionId]) => sessionId));
      for (const [sessionId, replies] of asked) {
        if (alive.has(sessionId)) continue;
        for (const reply of replies) reply.abort(new AppError('UNAUTHENTICATED'));
      }
    } catch (error) {
      // A database that is away ends nobody's reply; it is asked again.
      logger.debug({ err: error }, 'it cannot be said which sessions have been ended');
    }
  }

  function schedule(): void {
    timer = setTimeout(async () => {
      await look();
      timer = undefined;
      if (ends.size > 0) schedule();
    }, intervalMilliseconds);
    timer.unref();
  }

  return {
    /** A signal that aborts when the session has been ended; `forget` it when the reply is over. */
    watch(sessionId: string): { ended: AbortSignal; forget: () => void } {
      const reply = new AbortController();
      const replies = ends.get(sessionId) ?? new Set();
      ends.set(sessionId, replies.add(reply));
      if (timer === undefined) schedule();
      return {
        ended: reply.signal,
        forget() {
          replies.delete(reply);
          if (replies.size === 0 && ends.get(sessionId) === replies) ends.delete(sessionId);
        },
      };
    },

    /** Looks at once: sessions have just been ended here. */
    look,
  };
}
