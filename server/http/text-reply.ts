import type { ServerResponse } from 'node:http';
import { type ErrorCode, formatAppendedError } from '../../shared/errors.ts';
import type { ContextResponse } from './request-context.ts';

const replyHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

export type TextReply = ReturnType<typeof createTextReply>;

/**
 * A plain-text stream: one chunk for each piece of text. Status and headers wait for the first piece, so that a failure
 * before it still has a status of its own.
 */
export function createTextReply(response: ContextResponse, headers: Record<string, string> = {}) {
  const { context } = response.locals;
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });
  // A client that has left, or has an answer already, needs no reply.
  if (response.destroyed || response.writableEnded) left.abort();
  context.failReply = () => {
    const begun = response.headersSent;
    if (begun) reply.end('UPSTREAM_ERROR');
    left.abort();
    return begun;
  };

  function begin(): void {
    if (!response.headersSent) response.writeHead(200, { ...replyHeaders, ...headers });
  }

  const reply = {
    /** Aborted when nobody waits for the rest: the client left, or was told that the reply has failed. */
    left: left.signal,

    get begun(): boolean {
      return response.headersSent;
    },

    /** Sends one piece; the promise, if there is one, settles when the client has room for more or has left. */
    write(text: string): void | Promise<void> {
      if (left.signal.aborted) return;
      if (!response.headersSent) {
        context.addToLog({ firstTextMs: Math.round(performance.now() - context.arrivedAt) });
        begin();
      }
      if (!response.write(text)) return room(response);
    },

    /** Ends the reply, with `code` appended where it failed after its first text. */
    end(code?: ErrorCode): void {
      if (left.signal.aborted || response.writableEnded) return;
      begin();
      response.end(code && formatAppendedError(code));
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
