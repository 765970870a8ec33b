import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { type ErrorCode, formatAppendedError } from '../../shared/errors.ts';
import type { ContextResponse } from './request-context.ts';

const replyHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

export type TextReply = ReturnType<typeof createTextReply>;

type TextHandler = (request: Request, response: Response, reply: TextReply) => Promise<void>;

/**
 * Passes a `TextReply` to `handler`. The request remains unfinished until `handler` has settled, even after a
 * disconnect, because the partial reply is still stored. An error before the first text is sent with its own status. A
 * later one ends the reply with an error line.
 */
export function createStreamHandler(headers: Record<string, string>, handler: TextHandler): RequestHandler {
  return async (request, response) => {
    const reply = createTextReply(response, headers);
    const work = handler(request, response, reply);
    response.locals.context.waitUntil(work);
    try {
      await work;
    } catch (error) {
      if (reply.hasStarted) reply.end('UPSTREAM_ERROR');
      throw error;
    }
  };
}

/** Sends status and headers with the first text or at the end, so that an earlier failure can still have its own status. */
export function createTextReply(response: ContextResponse, headers: Record<string, string>) {
  const { context } = response.locals;
  let isClosed = response.destroyed;
  let hasEnded = false;
  response.once('close', () => {
    isClosed = true;
  });

  function sendHead(): void {
    if (!response.headersSent) response.writeHead(200, { ...replyHeaders, ...headers });
  }

  const reply = {
    /** False once the reply has ended, the client has disconnected, or another response has been sent. */
    get isOpen(): boolean {
      return !isClosed && !response.writableEnded;
    },

    get hasStarted(): boolean {
      return response.headersSent;
    },

    /** Calls `listener` with each reason why the response closes before `end`, immediately if it has closed before. */
    onCutShort(listener: (reason: 'clientDisconnected' | 'clientStalled') => void): void {
      if (isClosed && !hasEnded) listener('clientDisconnected');
      response.once('stalled', () => listener('clientStalled'));
      response.once('close', () => {
        if (!hasEnded) listener('clientDisconnected');
      });
    },

    /** A returned promise resolves when the write buffer has drained or the client has disconnected. */
    write(text: string): void | Promise<void> {
      if (!reply.isOpen) return;
      if (!response.headersSent) {
        context.addToLog({ firstTextMs: Math.round(performance.now() - context.arrivedAt) });
        sendHead();
      }
      if (!response.write(text)) return drained(response);
    },

    /** With `code`, appends the error line. */
    end(code?: ErrorCode): void {
      if (!reply.isOpen) return;
      hasEnded = true;
      sendHead();
      response.end(code && formatAppendedError(code));
    },
  };
  return reply;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}
