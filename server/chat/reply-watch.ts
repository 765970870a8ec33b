import type { Logger } from 'pino';
import type { ErrorCode } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';

/** How long a reply goes on, at most, after another process has ended its session or repeated its turn. */
const defaultIntervalMilliseconds = 1_000;

type Options = {
  /** Which of these still hold. */
  living: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** What is told to who still reads a reply whose key does not. */
  reason: ErrorCode;
  logger: Logger;
  intervalMilliseconds?: number;
};

export type ReplyWatch = ReturnType<typeof createReplyWatch>;

/**
 * Ends a reply when what it depends on is gone. Its session: ended by its person, on whatever device, or by an operator who
 * suspended, signed out or deleted them. Or its attempt at the turn: the same turn was sent again, to whatever instance,
 * so that nobody reads the earlier one. One statement asks for all replies under way; without any, nothing is asked.
 */
export function createReplyWatch({
  living,
  reason,
  logger,
  intervalMilliseconds = defaultIntervalMilliseconds,
}: Options) {
  const ends = new Map<string, Set<AbortController>>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    if (ends.size === 0) return;
    try {
      // Those that are asked for, and not those that have begun by the time the answer is there.
      const asked = [...ends];
      const alive = await living(asked.map(([key]) => key));
      for (const [key, replies] of asked) {
        if (alive.has(key)) continue;
        for (const reply of replies) reply.abort(new AppError(reason));
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
    /** A signal that aborts when `key` holds no longer; `forget` it when the reply is over. */
    watch(key: string): { ended: AbortSignal; forget: () => void } {
      const reply = new AbortController();
      const replies = ends.get(key) ?? new Set();
      ends.set(key, replies.add(reply));
      if (timer === undefined) schedule();
      return {
        ended: reply.signal,
        forget() {
          replies.delete(reply);
          if (replies.size === 0 && ends.get(key) === replies) ends.delete(key);
        },
      };
    },

    /** Looks at once: something has just been ended here. */
    look,
  };
}
