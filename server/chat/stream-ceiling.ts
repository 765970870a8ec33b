import type { RequestHandler } from 'express';
import { serviceIsFullSentence } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { whenOver } from '../http/request-over.ts';

export type StreamCeiling = ReturnType<typeof createStreamCeiling>;

/** By the retry rule of an overload: a place may be free in a second, here or at another instance. */
export function serviceIsFull(): AppError {
  return new AppError('UPSTREAM_OVERLOADED', { sentence: serviceIsFullSentence });
}

/** How many turns this process works on at once, on both routes: each holds memory, a connection here and one there. */
export function createStreamCeiling(most: number) {
  let underWay = 0;

  /** Takes a place until the request is over, however it ends, or refuses with 503. */
  const admit: RequestHandler = (_request, response, next) => {
    if (underWay >= most) throw serviceIsFull();
    underWay += 1;
    whenOver(response, () => {
      underWay -= 1;
    });
    next();
  };

  return {
    admit,
    get underWay(): number {
      return underWay;
    },
  };
}
