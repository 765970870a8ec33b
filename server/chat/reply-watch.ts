import type { Logger } from 'pino';

/** While the database is available, a reply ends at most about this long after another process has ended its session. */
const defaultIntervalMilliseconds = 1_000;

type Options = {
  findActive: (sessions: readonly string[]) => Promise<ReadonlySet<string>>;
  logger: Logger;
  intervalMilliseconds?: number;
};

export type ReplyWatch = ReturnType<typeof createReplyWatch>;

/**
 * Ends replies whose session is no longer stored: the user has signed out on any device, an operator has suspended, signed out or
 * deleted the user, the session has expired, or the user has begun a hundred others. `live-turn` calls `watch` as soon as it has
 * sent the prompt, and disposes of the watch at the end of the turn. The sign-out routes call `check`. One query per interval covers
 * all watched replies, and no query is sent without any.
 */
export function createReplyWatch({ findActive, logger, intervalMilliseconds = defaultIntervalMilliseconds }: Options) {
  const repliesBySession = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    if (repliesBySession.size === 0) return;
    try {
      // Takes a snapshot, because replies that start during the query are not in its result.
      const snapshot = [...repliesBySession];
      const active = await findActive(snapshot.map(([session]) => session));
      for (const [session, replies] of snapshot) {
        if (active.has(session)) continue;
        for (const end of replies) end();
      }
    } catch (error) {
      // Replies continue while the database is unavailable; the next check tries again.
      logger.debug({ err: error }, 'cannot check which sessions have ended');
    }
  }

  function schedule(): void {
    timer = setTimeout(async () => {
      await check();
      timer = undefined;
      if (repliesBySession.size > 0) schedule();
    }, intervalMilliseconds);
    timer.unref();
  }

  return {
    /** Calls `onEnded` at each check that finds `session` ended, until the result is disposed of. */
    watch(session: string, onEnded: () => void): Disposable {
      const replies = repliesBySession.get(session) ?? new Set();
      repliesBySession.set(session, replies.add(onEnded));
      if (timer === undefined) schedule();
      return {
        [Symbol.dispose]() {
          replies.delete(onEnded);
          if (replies.size === 0) repliesBySession.delete(session);
        },
      };
    },

    /** Ends replies at once after this process has ended a session, without waiting for the next interval. */
    check,
  };
}
