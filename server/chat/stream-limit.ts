import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { limits } from '../../shared/route-table.ts';
import { capacityError } from '../app-error.ts';
import { userOf } from '../http/request-context.ts';

export type StreamLimit = ReturnType<typeof createStreamLimit>;

const demoChat = Symbol('demo chat');

type Slots = { total: number; perUser?: number; demo?: number };

const maxStreamsPerUser = limits.live.requests;

/**
 * Limits the turns in flight of this process: in total, per user, and for demo chat, which gets at most half of them. Each uses
 * memory, a client connection and a provider connection. A turn holds a slot until its request has finished, or until it is
 * refused. Without a free slot it is refused with 503.
 */
export function createStreamLimit({ total, perUser = maxStreamsPerUser, demo = Math.ceil(total / 2) }: Slots) {
  let inFlight = 0;
  const inFlightBy = new Map<string | symbol, number>();

  /** The functions that release the slots. A second call has no effect. */
  const releases = new WeakMap<Response, () => void>();

  function acquireSlot(holder: string | symbol, response: Response): void {
    if (inFlight >= total) throw capacityError('turns');
    inFlight += 1;
    inFlightBy.set(holder, (inFlightBy.get(holder) ?? 0) + 1);
    const release = () => {
      if (!releases.delete(response)) return;
      inFlight -= 1;
      const remaining = (inFlightBy.get(holder) ?? 0) - 1;
      if (remaining > 0) inFlightBy.set(holder, remaining);
      else inFlightBy.delete(holder);
    };
    releases.set(response, release);
    response.locals.context.onFinished(release);
  }

  const admitDemo: RequestHandler = (_request, response, next) => {
    if ((inFlightBy.get(demoChat) ?? 0) >= demo) throw capacityError('turns-demo');
    acquireSlot(demoChat, response);
    next();
  };

  /**
   * Releases the slot of a refused turn at once. Its response can stay open for long, because it waits for earlier responses on
   * its connection and for the client to read. A reply that has started keeps its slot, because its text is in memory.
   */
  const releaseFailed: ErrorRequestHandler = (error, _request, response, next) => {
    if (!response.headersSent) releases.get(response)?.();
    next(error);
  };

  return {
    admitDemo,
    releaseFailed,

    /**
     * Refuses turns while `lateWrites` is full, because their answers would have to wait in memory. A user who has no
     * free slot and has also reached the request limit gets the limiter's 429, which names a wait.
     */
    admitUser(
      limiter: { check(user: string): Promise<void> },
      lateWrites: { readonly isFull: boolean },
    ): RequestHandler {
      return async (_request, response, next) => {
        if (lateWrites.isFull) throw capacityError('late-writes');
        const { id: user } = userOf(response);
        if ((inFlightBy.get(user) ?? 0) >= perUser) {
          await limiter.check(user);
          throw capacityError('turns-user');
        }
        acquireSlot(user, response);
        next();
      };
    },

    get inFlight(): number {
      return inFlight;
    },

    /** The number of users with a turn in flight; demo chat counts as one. */
    get usersInFlight(): number {
      return inFlightBy.size;
    },
  };
}
