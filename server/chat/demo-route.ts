import { type ErrorRequestHandler, Router } from 'express';
import { demoErrorCodes } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { AppError, HttpError } from '../app-error.ts';
import { postOnly, sendError } from '../http/errors.ts';
import type { Mount } from '../http/route-checks.ts';
import { createStreamHandler, type TextHandler } from '../http/text-reply.ts';
import type { StreamLimit } from './stream-limit.ts';

type Options = { mount: Mount; streams: StreamLimit; turn: TextHandler };

/** `POST /api/chat/demo`: public, about a fictional engagement, and independent of session and database. */
export function createDemoRoute({ mount, streams, turn }: Options): Router {
  const router = Router({ caseSensitive: true, strict: true });
  // The turn checks its messages: 400 MISSING_MESSAGES, 413, and 502 UPSTREAM_ERROR for a malformed message.
  // Then it checks the budget: 429 RATE_LIMITED.
  mount(router, 'demoChat', [createStreamHandler({}, turn)], { capacity: streams.admitDemo });
  return router.all(routes.demoChat, postOnly).use(routes.demoChat, streams.releaseFailed, narrowErrors);
}

/** Demo chat may send only five error codes. Any other code is sent as `UPSTREAM_ERROR`, and the original is logged. */
const narrowErrors: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof HttpError || response.headersSent) return next(error);
  const actual = error instanceof AppError ? error : new AppError('INTERNAL', { cause: error });
  const known = demoErrorCodes.includes(actual.code);
  sendError(response, known ? actual : new AppError('UPSTREAM_ERROR'), actual);
};
