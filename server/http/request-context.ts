import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Span } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ulid } from 'ulid';
import type { BudgetOwner } from '../../shared/errors.ts';
import { headers } from '../../shared/interface.ts';
import type { SignInProblem, User } from '../../shared/session.ts';
import { boundedText } from './logger.ts';

declare global {
  namespace Express {
    interface Locals {
      context: RequestContext;
    }
  }
}

/** Every response of `http-server.ts`, whether Express has it or not. */
export type ContextResponse = ServerResponse & { locals: { context: RequestContext } };

/** As log lines have them: `requestId` is that of the response, bounded, and `ownId` is a ULID that is always ours. */
export type RequestIds = { requestId: string; ownId: string };

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

/** What the handlers of one request share, on `response.locals` from its arrival. Each field names the one module that sets it. */
export type RequestContext = {
  /** The response's `X-Request-Id`: the client's, if it sent one. Use `ids` in the log. */
  readonly requestId: string;
  readonly ids: RequestIds;
  /** By `performance.now()`. */
  readonly arrivedAt: number;
  readonly logFields: Readonly<LogFields>;
  /**
   * Adds to the line that is logged when the request is finished. The first `code` and `err` stay: what fails later is their
   * consequence. An error after the request is finished gets a line of its own.
   */
  addToLog(fields: LogFields): void;
  /** Calls `listener` when the request is finished: its response is closed and all work of `waitUntil` is settled. */
  onFinished(listener: () => void): void;
  /** Keeps the request unfinished until `work` is settled. */
  waitUntil(work: Promise<unknown>): void;
  /** The signed-in person. Set by `auth/sessions.ts`. */
  principal?: User;
  /** The request's span. Set by `tracing/traces.ts`. */
  trace?: { span: Span; context: Context };
};

/**
 * Gives the response its context and its one `X-Request-Id`. This comes before anything else can fail, so that every later
 * answer carries the id, also the framework's last resort.
 */
export function assignContext(request: IncomingMessage, response: ServerResponse, logger: Logger): ContextResponse {
  const sent = request.headers[headers.requestId.toLowerCase()];
  const { requestId, ids } = requestIds(Array.isArray(sent) ? sent.join(', ') : sent);
  response.setHeader(headers.requestId, requestId);
  const listeners: (() => void)[] = [];
  let logFields: LogFields = {};
  let isFinished = false;
  /** The response, and the work of `waitUntil`. */
  let unsettled = 1;

  function settle(): void {
    unsettled -= 1;
    if (unsettled > 0) return;
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
        logger.error({ ...ids, ...fields }, 'failed after its request was over');
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
      unsettled += 1;
      work.then(settle, settle);
    },
  };
  return Object.assign(response, { locals: { context } });
}

/** The id of a request that sent `sent`, and both ids as the log has them. */
export function requestIds(sent?: string): Pick<RequestContext, 'requestId' | 'ids'> {
  // An id that nobody has to guess needs no secure random numbers, which cost a request thirty times as much.
  const ownId = ulid(undefined, Math.random);
  const requestId = sent || ownId;
  return { requestId, ids: { requestId: boundedText(requestId, 128), ownId } };
}

/** The signed-in person, on routes that require one. */
export function principalOf({ locals }: ContextResponse): User {
  const { principal } = locals.context;
  if (principal === undefined) throw new Error('This route does not require a signed-in person.');
  return principal;
}

/** What is known of a request when it is over. */
export type RequestLine = LogFields & { method: string; path: string; status: number; durationMs: number };

/** Takes note of a request that is over. */
export type Observe = (line: RequestLine, context: RequestContext) => void;

/** One line for each request, once it is over; `observe` sees it too. */
export function requestLog(logger: Logger, observe?: Observe): RequestHandler {
  return (request, response, next) => {
    const { context } = response.locals;
    // The query stays out: that of a sign-in callback carries a code.
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
