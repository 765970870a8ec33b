import { setTimeout as delay } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import { fullSentences } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { principalOf } from '../http/request-context.ts';

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
export function createStreamCeiling(max: { total: number; perUser: number; demo: number }) {
  let underWay = 0;
  /** Turns under way by the person's id, and those of demo chat. */
  const underWayOf = new Map<string | symbol, number>();

  function takePlace({ locals: { context } }: Response): void {
    if (context.hasPlace) return;
    if (underWay >= max.total) throw isFull('service');
    context.hasPlace = true;
    underWay += 1;
    context.whenOver(() => {
      underWay -= 1;
    });
  }

  function countFor(holder: string | symbol, response: Response): void {
    underWayOf.set(holder, (underWayOf.get(holder) ?? 0) + 1);
    response.locals.context.whenOver(() => {
      const left = (underWayOf.get(holder) ?? 0) - 1;
      if (left > 0) underWayOf.set(holder, left);
      else underWayOf.delete(holder);
    });
  }

  const admitDemo: RequestHandler = (_request, response, next) => {
    if ((underWayOf.get(demoChat) ?? 0) >= max.demo) throw isFull('demo');
    takePlace(response);
    countFor(demoChat, response);
    next();
  };

  return {
    admitDemo,

    /**
     * How a turn waits for a database that has just gone: in one of the places, for its person only once it is known who
     * that is. Without a place, or where its client has left or `draining` has begun, nothing of it is stored: it is
     * refused as an overload, which clients send again, to another instance.
     */
    pauseOf(response: Response, draining: AbortSignal): (milliseconds: number) => Promise<void> {
      return async (milliseconds) => {
        takePlace(response);
        await delay(milliseconds);
        if (response.destroyed || draining.aborted) throw new AppError('UPSTREAM_OVERLOADED');
      };
    },

    /**
     * If the turn's person has no place left and is at the limit of requests too, the limit refuses them, because it names
     * the wait: `checkLimit` rejects then.
     */
    admitUser(checkLimit: (user: string) => Promise<void>): RequestHandler {
      return async (_request, response, next) => {
        const { id: user } = principalOf(response);
        if ((underWayOf.get(user) ?? 0) >= max.perUser) {
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
