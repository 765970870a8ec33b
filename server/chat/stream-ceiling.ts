import type { RequestHandler, Response } from 'express';
import { fullSentences } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { principalOf } from '../http/request-context.ts';

export type StreamCeiling = ReturnType<typeof createStreamCeiling>;

/** The retry rule of an overload applies: a slot may be free in a second, here or at another instance. */
export function capacityError(what: keyof typeof fullSentences): AppError {
  return new AppError('UPSTREAM_OVERLOADED', { sentence: fullSentences[what] });
}

const demoChat = Symbol('demo chat');

/**
 * Limits the turns in flight of this process: in total, per user, and for demo chat. Each holds memory, a connection to the
 * client and one to the provider. A turn acquires a slot and releases it when its request is over, however it ends. Without
 * a free slot it is refused with 503.
 */
export function createStreamCeiling(max: { total: number; perUser: number; demo: number }) {
  let underWay = 0;
  /** Turns in flight by the user's id, and those of demo chat. */
  const underWayOf = new Map<string | symbol, number>();

  function acquireSlot({ locals: { context } }: Response): void {
    if (underWay >= max.total) throw capacityError('service');
    underWay += 1;
    context.onFinished(() => {
      underWay -= 1;
    });
  }

  function countFor(holder: string | symbol, response: Response): void {
    underWayOf.set(holder, (underWayOf.get(holder) ?? 0) + 1);
    response.locals.context.onFinished(() => {
      const left = (underWayOf.get(holder) ?? 0) - 1;
      if (left > 0) underWayOf.set(holder, left);
      else underWayOf.delete(holder);
    });
  }

  const admitDemo: RequestHandler = (_request, response, next) => {
    if ((underWayOf.get(demoChat) ?? 0) >= max.demo) throw capacityError('demo');
    acquireSlot(response);
    countFor(demoChat, response);
    next();
  };

  return {
    admitDemo,

    /**
     * No turn begins while `lateWrites` is full: answers that cannot be stored yet are kept in memory. If the user has no slot
     * left and has also reached the limit of requests, `limiter` refuses: its refusal says how long to wait.
     */
    admitUser(limiter: { check(user: string): Promise<void> }, lateWrites: { readonly full: boolean }): RequestHandler {
      return async (_request, response, next) => {
        if (lateWrites.full) throw capacityError('service');
        const { id: user } = principalOf(response);
        if ((underWayOf.get(user) ?? 0) >= max.perUser) {
          await limiter.check(user);
          throw capacityError('user');
        }
        acquireSlot(response);
        countFor(user, response);
        next();
      };
    },

    get underWay(): number {
      return underWay;
    },
  };
}
