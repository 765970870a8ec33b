import type { ErrorRequestHandler, RequestHandler } from 'express';
import { errors } from '../../shared/errors.ts';
import { AppError, HttpError } from '../app-error.ts';
import type { ContextResponse } from './request-context.ts';

/**
 * An error that is neither an `AppError` nor an `HttpError` becomes `INTERNAL`. Express itself raises no 4xx, because no route has
 * path parameters to decode.
 */
export const errorHandler: ErrorRequestHandler = (error, _request, response, _next) => {
  const { context } = response.locals;
  if (response.headersSent) {
    const { code, refusedBy } = error instanceof AppError ? error : new AppError('INTERNAL');
    context.addToLog({ code, err: error, ...refusedBy });
    // A text reply has already ended, with its error line. Closing the connection is the only way to mark any other
    // response as incomplete.
    if (!response.writableEnded) response.destroy();
    return;
  }
  if (error instanceof HttpError) {
    response.status(error.status).type('text/plain').send(`${error.message}\n`);
    return;
  }
  sendError(response, error instanceof AppError ? error : new AppError('INTERNAL', { cause: error }));
};

/**
 * Sends `error` as plain text, `CODE: sentence`. `logged` is the error for the log, if its code differs from that of the
 * response. A 5xx is logged with its cause, if it has one.
 */
export function sendError(response: ContextResponse, error: AppError, logged: AppError = error): void {
  const { code, retryAfterSeconds } = error;
  const { status } = errors[code];
  response.locals.context.addToLog({
    code: logged.code,
    ...logged.refusedBy,
    ...(status >= 500 && logged.cause !== undefined && { err: logged }),
  });
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(`${code}: ${error.message}`);
}

/** Must follow the route's `post` handler. Also rejects methods that Express would handle itself, such as OPTIONS. */
export const refuseOtherMethods: RequestHandler = (_request, response) => {
  response.set('Allow', 'POST');
  throw new HttpError(405, 'Method not allowed. Use POST.');
};
