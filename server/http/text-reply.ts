import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { type ErrorCode, formatAppendedError } from '../../shared/errors.ts';
import type { ContextResponse } from './request-context.ts';

const replyHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** How long a client may read nothing of what was sent to it before it is disconnected. */
const stallMilliseconds = 60_000;

export type TextReply = ReturnType<typeof createTextReply>;

/**
 * A request handler that streams text. Its work belongs to the request even after the client has disconnected, because what was
 * streamed is stored then. An error before the first text gets a status of its own; a later one ends the reply with the error
 * line.
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
 * A plain-text stream: one chunk for each piece of text. Status and headers wait for the first piece, so that a failure
 * before it still has its own status.
 */
export function createTextReply(response: ContextResponse, headers: Record<string, string> = {}) {
  const { context } = response.locals;
  const interrupted = new AbortController();
  let hasEnded = false;
  /** Pieces that the operating system has not accepted yet, because the client does not read. */
  let unread = 0;
  let stall: NodeJS.Timeout | undefined;
  response.once('close', () => {
    clearTimeout(stall);
    if (!hasEnded || !response.writableFinished) interrupted.abort();
  });
  if (response.destroyed) interrupted.abort();

  function begin(): void {
    if (!response.headersSent) response.writeHead(200, { ...replyHeaders, ...headers });
  }

  function cutIfStalled(): void {
    // Without a socket the reply waits behind another one of its connection, whatever the client reads.
    if (response.socket === null) stall?.refresh();
    else response.destroy();
  }

  /** Counts a piece as unread until the function that it returns is called. */
  function expectRead(): () => void {
    if (unread === 0) stall = setTimeout(cutIfStalled, stallMilliseconds);
    unread += 1;
    return () => {
      unread -= 1;
      if (unread === 0) clearTimeout(stall);
      else stall?.refresh();
    };
  }

  const reply = {
    /** Aborts if the response closes before the reply has ended: the client has disconnected, or has received another answer. */
    interrupted: interrupted.signal,

    /** Whether the client can receive more text. */
    get isOpen(): boolean {
      return !interrupted.signal.aborted && !response.writableEnded;
    },

    get hasStarted(): boolean {
      return response.headersSent;
    },

    /** Sends one piece; the promise, if there is one, settles when there is room for more or the client has disconnected. */
    write(text: string): void | Promise<void> {
      if (!reply.isOpen) return;
      if (!response.headersSent) {
        context.addToLog({ firstTextMs: Math.round(performance.now() - context.arrivedAt) });
        begin();
      }
      if (!response.write(text, expectRead())) return room(response);
    },

    /** Ends the reply, with the error line of `code` appended if it failed after its first text. */
    end(code?: ErrorCode): void {
      if (!reply.isOpen) return;
      hasEnded = true;
      begin();
      response.end(code && formatAppendedError(code), expectRead());
    },
  };
  return reply;
}

function room(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}
