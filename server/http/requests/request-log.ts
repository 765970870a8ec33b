import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { BudgetOwner } from '../../../shared/errors.ts';
import type { SignInProblem } from '../../../shared/session.ts';
import { boundedText } from './bounded-text.ts';
import { logIds } from './request-id.ts';
import { whenOver } from './request-over.ts';

/** What a request's log line says beside its route, status and duration: identifiers and counts, never contents. */
export type LogFields = Partial<{
  code: string;
  err: unknown;
  /** Whose budget of tokens was used up. */
  budget: BudgetOwner;
  /** What became of somebody who came back from a sign-in provider. */
  signIn: 'signed-in' | 'signed-up' | SignInProblem;
  userId: string;
  orgId: string;
  conversationId: string;
  ending: string;
  stopReason: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreateTokens: number;
  providerRequestId: string | null;
  /** From the request's arrival to the first text of its reply. */
  firstTextMs: number;
}>;

/** What is known of a request when it is over. */
export type RequestLine = LogFields & { method: string; path: string; status: number; durationMs: number };

const fieldsOf = new WeakMap<ServerResponse, LogFields>();
const beginnings = new WeakMap<ServerResponse, number>();
const logged = new WeakMap<ServerResponse, Logger>();

/**
 * Adds to the line that is logged when this request is over. What failed first is the cause of what fails then; what
 * fails once the line has been logged gets one of its own.
 */
export function addToRequestLog(response: ServerResponse, fields: LogFields): void {
  if (fields.err !== undefined) {
    logged.get(response)?.error({ ...logIds(response), ...fields }, 'failed after its request was over');
  }
  const { code, err, ...known } = fieldsOf.get(response) ?? {};
  fieldsOf.set(response, {
    ...known,
    ...fields,
    ...(code !== undefined && { code }),
    ...(err !== undefined && { err }),
  });
}

/** Notes when the first text of a reply was sent. */
export function logFirstText(response: ServerResponse): void {
  const beganAt = beginnings.get(response);
  if (beganAt !== undefined) addToRequestLog(response, { firstTextMs: Math.round(performance.now() - beganAt) });
}

/** Takes note of a request that is over. */
export type Observe = (line: RequestLine, response: ServerResponse) => void;

/** One line for each request, once it is over; `observe` sees it too. */
export function requestLog(logger: Logger, observe?: Observe): RequestHandler {
  return (request, response, next) => {
    const beganAt = performance.now();
    beginnings.set(response, beganAt);
    // The query stays out: that of a sign-in callback carries a code.
    const method = boundedText(request.method, 16);
    const path = boundedText(request.path, 256);
    whenOver(response, () => {
      const { statusCode: status, writableFinished } = response;
      const fields = fieldsOf.get(response);
      const level = status >= 500 || fields?.err !== undefined ? 'error' : 'info';
      const durationMs = Math.round(performance.now() - beganAt);
      const line = { method, path, status, durationMs, ...fields };
      observe?.(line, response);
      logger[level]({ ...logIds(response), ...line }, writableFinished ? 'request' : 'request cut short');
      logged.set(response, logger);
    });
    next();
  };
}
