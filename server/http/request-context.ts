import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Span } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ulid } from 'ulid';
import type { BudgetScope } from '../../shared/errors.ts';
import { headers } from '../../shared/interface.ts';
import type { SignInProblem, User } from '../../shared/session.ts';
import type { CapacityLimit } from '../app-error.ts';
import { boundedText } from './logger.ts';

declare global {
  namespace Express {
    interface Locals {
      context: RequestContext;
    }
  }
}

/** A response of `http-server.ts`, before or after Express has extended it. */
export type ContextResponse = ServerResponse & { locals: { context: RequestContext } };

/** `requestId` is the response's `X-Request-Id`, truncated; `ownId` is always a ULID that the server generated. */
export type RequestIds = { requestId: string; ownId: string };

/** Additional fields of a request's log line. They never contain text of a user or of the model. */
type LogFields = Partial<{
  code: string;
  err: unknown;
  /** The scope of the token budget that refused the turn. */
  budget: BudgetScope;
  /** The limit of this process that refused the request with 503. */
  capacity: CapacityLimit;
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
  /** The time from the arrival of the request to the first text of the reply. */
  firstTextMs: number;
}>;

/** State of one request, on `response.locals` from its arrival. */
export type RequestContext = {
  /** The response's `X-Request-Id`: the client's value if there is one. Use `ids` in the log. */
  readonly requestId: string;
  readonly ids: RequestIds;
  /** From `performance.now()`. */
  readonly arrivedAt: number;
  readonly logFields: Readonly<LogFields>;
  /**
   * Adds fields to the request's log line. The first `code` and `err` win, because later failures are consequences. An
   * error after the request has finished is logged in a line of its own.
   */
  addToLog(fields: LogFields): void;
  /** Finished: the response is closed and all work passed to `waitUntil` is settled. */
  onFinished(listener: () => void): void;
  /** Keeps the request unfinished until `work` is settled. */
  waitUntil(work: Promise<unknown>): void;
  /** The signed-in user, set by `auth/sessions.ts`. */
  user?: User;
  /** The request's span, set by `tracing/traces.ts`. */
  trace?: { span: Span; context: Context };
};

/**
 * Attaches the context and sets `X-Request-Id`. This runs before anything can fail, so that every response has the id,
 * even one from the framework's default error handler.
 */
export function assignContext(request: IncomingMessage, response: ServerResponse, logger: Logger): ContextResponse {
  const clientRequestId = request.headers[headers.requestId.toLowerCase()];
  const { requestId, ids } = createIds(Array.isArray(clientRequestId) ? clientRequestId.join(', ') : clientRequestId);
  response.setHeader(headers.requestId, requestId);
  const listeners: (() => void)[] = [];
  let logFields: LogFields = {};
  let isFinished = false;
  /** Counts the response itself and each `waitUntil`. */
  let pending = 1;

  function settle(): void {
    pending -= 1;
    if (pending > 0) return;
    isFinished = true;
    for (const listener of listeners.splice(0)) listener();
  }
  response.once('close', settle);

  const context: RequestContext = {
    requestId,
    ids,
    arrivedAt: performance.now(),
    get logFields() {
      return logFields;
    },
    addToLog(fields) {
      if (isFinished && fields.err !== undefined)
        logger.error({ ...ids, ...fields }, 'error after the request had finished');
      const { code, err } = logFields;
      logFields = {
        ...logFields,
        ...fields,
        ...(code !== undefined && { code }),
        ...(err !== undefined && { err }),
      };
    },
    onFinished(listener) {
      if (isFinished) listener();
      else listeners.push(listener);
    },
    waitUntil(work) {
      pending += 1;
      work.then(settle, settle);
    },
  };
  return Object.assign(response, { locals: { context } });
}

export function createIds(sent?: string): Pick<RequestContext, 'requestId' | 'ids'> {
  // The id need not be unguessable, and secure random numbers are thirty times as expensive per request.
  const ownId = ulid(undefined, Math.random);
  const requestId = sent || ownId;
  return { requestId, ids: { requestId: boundedText(requestId, 128), ownId } };
}

export function userOf({ locals }: ContextResponse): User {
  const { user } = locals.context;
  if (user === undefined) throw new Error('userOf requires a route with requireUser.');
  return user;
}

export type RequestLogEntry = LogFields & { method: string; path: string; status: number; durationMs: number };

export type RequestObserver = (line: RequestLogEntry, context: RequestContext) => void;

/** Logs one line per request when it has finished, and calls `observe` with it. */
export function requestLog(logger: Logger, observe?: RequestObserver): RequestHandler {
  return (request, response, next) => {
    const { context } = response.locals;
    // Logs the path without the query, because a sign-in callback's query contains a code.
    const method = boundedText(request.method, 16);
    const path = boundedText(request.path, 256);
    context.onFinished(() => {
      const { statusCode: status, writableFinished } = response;
      const fields = context.logFields;
      const durationMs = Math.round(performance.now() - context.arrivedAt);
      const line = { method, path, status, durationMs, ...fields };
      observe?.(line, context);
      const level = status >= 500 || fields.err !== undefined ? 'error' : 'info';
      logger[level]({ ...context.ids, ...line }, writableFinished ? 'request' : 'request cut short');
    });
    next();
  };
}
