import type { Logger } from 'pino';
import { AppError } from '../app-error.ts';

/** How long a reply goes on, at most, after another process has ended its session. */
const defaultIntervalMilliseconds = 1_000;

type Options = {
  /** Which of these sessions have not ended. */
  living: (sessions: readonly string[]) => Promise<ReadonlySet<string>>;
  logger: Logger;
  intervalMilliseconds?: number;
};

export type ReplyWatch = ReturnType<typeof createReplyWatch>;

/**
 * Ends a reply when its session is gone: ended by its person, on whatever device, or by an operator who suspended, signed
 * out or deleted them. One statement asks for all replies under way; without any, nothing is asked.
 */
export function createReplyWatch({ living, logger, intervalMilliseconds = defaultIntervalMilliseconds }: Options) {
  const ends = new Map<string, Set<AbortController>>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    if (ends.size === 0) return;
    try {
      // Those that are asked for, and not those that have begun by the time the answer is there.
      const asked = [...ends];
      const alive = await living(asked.map(([session]) => session));
      for (const [session, replies] of asked) {
        if (alive.has(session)) continue;
        for (const reply of replies) reply.abort(new AppError('UNAUTHENTICATED'));
      }
    } catch (error) {
      // A database that is away ends nobody's reply; it is asked again.
      logger.debug({ err: error }, 'it cannot be said which replies have to end');
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
    /** A signal that aborts when `session` has ended; `forget` it when the reply is over. */
    watch(session: string): { ended: AbortSignal; forget: () => void } {
      const reply = new AbortController();
      const replies = ends.get(session) ?? new Set();
      ends.set(session, replies.add(reply));
      if (timer === undefined) schedule();
      return {
        ended: reply.signal,
        forget() {
          replies.delete(reply);
          if (replies.size === 0 && ends.get(session) === replies) ends.delete(session);
        },
      };
    },

    /** Looks at once: something has just been ended here. */
    look,
  };
}
