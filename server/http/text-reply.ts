import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { type ErrorCode, formatAppendedError } from '../../shared/errors.ts';
import type { ContextResponse } from './request-context.ts';

const replyHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** How long a client may stop reading before it is disconnected. */
const stallMilliseconds = 60_000;

export type TextReply = ReturnType<typeof createTextReply>;

/**
 * Creates a request handler that streams text. The request stays unfinished until `handler` has settled, also after a
 * disconnect, because the partial reply is still stored. An error before the first text is sent with its own status; a
 * later one ends the reply with the error line.
 */
export function streamsText<Body = unknown>(
  headers: Record<string, string>,
  handler: (request: Request<object, string, Body>, response: Response, reply: TextReply) => Promise<void>,
): RequestHandler<object, string, Body> {
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

/**
 * Creates a plain-text stream with one chunk per piece. Status and headers are sent with the first piece, so that an
 * earlier failure can still have its own status.
 */
export function createTextReply(response: ContextResponse, headers: Record<string, string>) {
  const { context } = response.locals;
  const interrupted = new AbortController();
  let hasEnded = false;
  /** The number of pieces that the operating system has not accepted yet because the client is not reading. */
  let unread = 0;
  let stallTimer: NodeJS.Timeout | undefined;
  response.once('close', () => {
    clearTimeout(stallTimer);
    if (!hasEnded || !response.writableFinished) interrupted.abort();
  });
  if (response.destroyed) interrupted.abort();

  function sendHead(): void {
    if (!response.headersSent) response.writeHead(200, { ...replyHeaders, ...headers });
  }

  function destroyIfStalled(): void {
    // Ignores a pipelined reply, which has no socket yet: the previous reply blocks it, not the client.
    if (response.socket === null) stallTimer?.refresh();
    else response.destroy();
  }

  /** Counts a piece as unread until the returned function is called. */
  function trackUnread(): () => void {
    if (unread === 0) stallTimer = setTimeout(destroyIfStalled, stallMilliseconds);
    unread += 1;
    return () => {
      unread -= 1;
      if (unread === 0) clearTimeout(stallTimer);
      else stallTimer?.refresh();
    };
  }

  const reply = {
    /** Aborts if the response closes before `end`: the client has disconnected, or another response was sent. */
    interrupted: interrupted.signal,

    get isOpen(): boolean {
      return !interrupted.signal.aborted && !response.writableEnded;
    },

    get hasStarted(): boolean {
      return response.headersSent;
    },

    /**
     * Sends one piece. A returned promise resolves when the write buffer has drained or the client has disconnected.
     */
    write(text: string): void | Promise<void> {
      if (!reply.isOpen) return;
      if (!response.headersSent) {
        context.addToLog({ firstTextMs: Math.round(performance.now() - context.arrivedAt) });
        sendHead();
      }
      if (!response.write(text, trackUnread())) return drained(response);
    },

    /** Ends the reply. `code` appends its error line, for a failure after the first text. */
    end(code?: ErrorCode): void {
      if (!reply.isOpen) return;
      hasEnded = true;
      sendHead();
      response.end(code && formatAppendedError(code), trackUnread());
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
