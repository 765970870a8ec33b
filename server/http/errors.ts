import type { ErrorRequestHandler, RequestHandler } from 'express';
import { errors } from '../../shared/errors.ts';
import { AppError, HttpError } from '../app-error.ts';
import type { ContextResponse } from './request-context.ts';

/** The last handler: ours by the table, HTTP's own by their status, and whatever else there is as `INTERNAL`. */
export const errorHandler: ErrorRequestHandler = (error, _request, response, _next) => {
  const { context } = response.locals;
  if (response.headersSent) {
    context.addToLog({ code: error instanceof AppError ? error.code : 'INTERNAL', err: error });
    // A response that has ended is complete, and a text reply has ended itself with the error line. Closing the connection is
    // the only way to mark any other response as incomplete.
    if (!response.writableEnded) response.destroy();
    return;
  }
  const refusal = error instanceof HttpError ? error : asFrameworkRefusal(error);
  if (refusal !== undefined) {
    response.status(refusal.status).type('text/plain').send(`${refusal.message}\n`);
    return;
  }
  sendError(response, error instanceof AppError ? error : new AppError('INTERNAL', { cause: error }));
};

/**
 * Sends `error` as plain text, `CODE: sentence`; `logged` names it in the log where it is known there by another code.
 * What is the server's fault is logged with its cause, where it has one.
 */
export function sendError(response: ContextResponse, error: AppError, logged: AppError = error): void {
  const { code, retryAfterSeconds } = error;
  const { status } = errors[code];
  response.locals.context.addToLog({
    code: logged.code,
    ...(status >= 500 && logged.cause !== undefined && { err: logged }),
  });
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(`${code}: ${error.message}`);
}

/** A 4xx that Express or its parts raised: a path that cannot be decoded, say. Their words stay here. */
function asFrameworkRefusal(error: unknown): HttpError | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error instanceof AppError || error.status < 400 || error.status >= 500) return undefined;
  return new HttpError(error.status, 'The request cannot be understood.');
}

/** Follows a route's `post` and refuses every other method, the ones that the framework would answer by itself too. */
export const postOnly: RequestHandler = (_request, response) => {
  response.set('Allow', 'POST');
  throw new HttpError(405, 'This address takes POST only.');
};
