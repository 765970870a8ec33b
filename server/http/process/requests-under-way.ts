import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler, NextFunction, RequestHandler } from 'express';
import { AppError } from '../../app-error.ts';
import { errorHandler } from '../replies/error-handler.ts';
import { failTextReply } from '../replies/text-reply.ts';
import { logIds, type RequestIds } from '../requests/request-id.ts';
import { whenOver } from '../requests/request-over.ts';

/** How to answer a request's errors that come past Express. */
const answers = new WeakMap<ServerResponse, (error: AppError) => void>();

/** For a route with an error handler of its own. It comes before every part of the route that can fail. */
export function errorsAnsweredBy(handler: ErrorRequestHandler): RequestHandler {
  return (request, response, next) => {
    const others: NextFunction = (error) => errorHandler(error, request, response, () => undefined);
    answers.set(response, (error) => handler(error, request, response, others));
    next();
  };
}

export type RequestsUnderWay = ReturnType<typeof createRequestsUnderWay>;

/** The requests that have begun and are not over. */
export function createRequestsUnderWay() {
  const responses = new Set<ServerResponse>();
  const current = new AsyncLocalStorage<ServerResponse>();
  const waiting: (() => void)[] = [];

  const answered = errorsAnsweredBy(errorHandler);

  const track: RequestHandler = (request, response, next) => {
    responses.add(response);
    whenOver(response, () => {
      responses.delete(response);
      if (responses.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
    current.run(response, () => answered(request, response, next));
  };

  return {
    /** The first middleware. */
    track,

    /**
     * Answers the request whose callback is running, if there is one, with an error that nobody caught in it, and gives
     * its ids. What runs on a connection that requests share counts for the request that opened it.
     */
    failCurrent(error: unknown): RequestIds | undefined {
      const response = current.getStore();
      if (response === undefined) return undefined;
      fail(response, new AppError('INTERNAL', { cause: error }));
      return logIds(response);
    },

    /** Answers every request that has had nothing yet. */
    failUnanswered(error: AppError): void {
      for (const response of [...responses]) if (!response.headersSent) fail(response, error);
    },

    /** Resolves when none is left. */
    async over(): Promise<void> {
      if (responses.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

function fail(response: ServerResponse, error: AppError): void {
  if (response.writableEnded) return;
  // Its body may still be arriving, and nobody will read it.
  if (!response.headersSent) response.setHeader('Connection', 'close');
  answers.get(response)?.(error);
  // The work on it stops: its reader has been told.
  failTextReply(response);
}
