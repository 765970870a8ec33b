import type { ErrorRequestHandler, Response } from 'express';
import { errors } from '../../../shared/errors.ts';
import { AppError } from '../../app-error.ts';
import { HttpError } from '../requests/http-error.ts';
import { addToRequestLog } from '../requests/request-log.ts';
import { failTextReply } from './text-reply.ts';

/** The last handler: ours by the table, HTTP's own by their status, and whatever else there is as `INTERNAL`. */
export const errorHandler: ErrorRequestHandler = (error, _request, response, _next) => {
  if (response.headersSent) {
    addToRequestLog(response, { code: error instanceof AppError ? error.code : 'INTERNAL', err: error });
    // An answer that is whole stays, whatever fails after it. Half of one cannot be taken back: a reply says that it has
    // failed, and cutting is the one honest end of all else.
    if (!response.writableEnded && !failTextReply(response)) response.destroy();
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
export function sendError(response: Response, error: AppError, logged: AppError = error): void {
  const { code, retryAfterSeconds } = error;
  const { status } = errors[code];
  addToRequestLog(response, { code: logged.code, ...(status >= 500 && logged.cause !== undefined && { err: logged }) });
  if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
  response.status(status).type('text/plain').send(`${code}: ${error.message}`);
}

/** A 4xx that Express or its parts raised: a path that cannot be decoded, say. Their words stay here. */
function asFrameworkRefusal(error: unknown): HttpError | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error instanceof AppError || error.status < 400 || error.status >= 500) return undefined;
  return new HttpError(error.status, 'The request cannot be understood.');
}
