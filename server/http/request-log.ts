import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { requestIdOf } from './request-id.ts';

/** What a request's log line says beside its route, status and duration: identifiers and counts, never contents. */
export type LogFields = Partial<{
  code: string;
  err: unknown;
  userId: string;
  orgId: string;
  conversationId: string;
  ending: string;
  stopReason: string | null;
  model: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreateTokens: number;
  providerRequestId: string | null;
}>;

const fieldsOf = new WeakMap<Response, LogFields>();

/** Adds to the line that is logged when this response is over. */
export function addToRequestLog(response: Response, fields: LogFields): void {
  fieldsOf.set(response, { ...fieldsOf.get(response), ...fields });
}

/** One line for each request, once its response has ended or its client has left. */
export function requestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    // The query stays out: that of a sign-in callback carries a code.
    const { method, path } = request;
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response;
      const fields = fieldsOf.get(response);
      const level = status >= 500 || fields?.err !== undefined ? 'error' : 'info';
      const durationMs = Math.round(performance.now() - startedAt);
      const line = { requestId: requestIdOf(response), method, path, status, durationMs, ...fields };
      logger[level](line, writableFinished ? 'request' : 'request cut short');
    });
    next();
  };
}
