import type { Request, RequestHandler, Response } from 'express';
import { fullSentences } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { whenOver } from '../http/requests/request-over.ts';

export type StreamCeiling = ReturnType<typeof createStreamCeiling>;

/** By the retry rule of an overload: a place may be free in a second, here or at another instance. */
export function isFull(what: keyof typeof fullSentences): AppError {
  return new AppError('UPSTREAM_OVERLOADED', { sentence: fullSentences[what] });
}

const demoChat = Symbol('demo chat');

/**
 * How many turns this process works on at once: in all, for one person, for demo chat. Each holds memory, a connection
 * here and one there. A turn has its place until the request is over, however it ends. Without a place it is refused
 * with 503.
 */
export function createStreamCeiling(most: { total: number; perUser: number; demo: number }) {
  let underWay = 0;
  const placed = new WeakSet<Response>();
  /** Turns under way by the person's id, and those of demo chat. */
  const underWayOf = new Map<string | symbol, number>();

  function takePlace(response: Response): void {
    if (placed.has(response)) return;
    if (underWay >= most.total) throw isFull('service');
    placed.add(response);
    underWay += 1;
    whenOver(response, () => {
      underWay -= 1;
    });
  }

  function countFor(holder: string | symbol, response: Response): void {
    underWayOf.set(holder, (underWayOf.get(holder) ?? 0) + 1);
    whenOver(response, () => {
      const left = (underWayOf.get(holder) ?? 0) - 1;
      if (left > 0) underWayOf.set(holder, left);
      else underWayOf.delete(holder);
    });
  }

  const admitDemo: RequestHandler = (_request, response, next) => {
    if ((underWayOf.get(demoChat) ?? 0) >= most.demo) throw isFull('demo');
    takePlace(response);
    countFor(demoChat, response);
    next();
  };

  return {
    admitDemo,

    /**
     * Takes a place for a turn that has to wait before it is known whose it is; `admitUser` counts it for them later.
     * @throws AppError `UPSTREAM_OVERLOADED` where there is none
     */
    admitWaiting: takePlace,

    /**
     * `userOf` gives the id of the turn's person. If they have no place left and are at the limit of requests too, the limit
     * refuses them, because it names the wait: `checkLimit` rejects then.
     */
    admitUser(userOf: (request: Request) => string, checkLimit: (user: string) => Promise<void>): RequestHandler {
      return async (request, response, next) => {
        const user = userOf(request);
        if ((underWayOf.get(user) ?? 0) >= most.perUser) {
          await checkLimit(user);
          throw isFull('user');
        }
        takePlace(response);
        countFor(user, response);
        next();
      };
    },

    get underWay(): number {
      return underWay;
    },
  };
}
