import type { Logger } from 'pino';
import { AppError } from '../app-error.ts';

/** The longest time that a reply continues after another process has ended its session. */
const defaultIntervalMilliseconds = 1_000;

type Options = {
  /** Returns those of `sessions` that have not ended. */
  living: (sessions: readonly string[]) => Promise<ReadonlySet<string>>;
  logger: Logger;
  intervalMilliseconds?: number;
};

export type ReplyWatch = ReturnType<typeof createReplyWatch>;

/**
 * Ends a reply when its session has ended: by a sign-out on any device, or by an operator who suspended, signed out or deleted
 * the user. One statement checks the sessions of all replies in flight; without any, nothing is sent.
 */
export function createReplyWatch({ living, logger, intervalMilliseconds = defaultIntervalMilliseconds }: Options) {
  const ends = new Map<string, Set<AbortController>>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    if (ends.size === 0) return;
    try {
      // A copy: a reply that begins while the query runs is not in its result.
      const asked = [...ends];
      const alive = await living(asked.map(([session]) => session));
      for (const [session, replies] of asked) {
        if (alive.has(session)) continue;
        for (const reply of replies) reply.abort(new AppError('UNAUTHENTICATED'));
      }
    } catch (error) {
      // An unavailable database ends no reply; the next check follows.
      logger.debug({ err: error }, 'cannot check which sessions have ended');
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
    /** Returns a signal that aborts when `session` has ended; call `forget` when the reply is over. */
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

    /** Checks now, because this process has just ended a session. */
    look,
  };
}
