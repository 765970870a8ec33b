import type { ServerResponse } from 'node:http';
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
 * A plain-text stream: one chunk for each piece of text. Status and headers wait for the first piece, so that a failure
 * before it still has its own status.
 */
export function createTextReply(response: ContextResponse, headers: Record<string, string> = {}) {
  const { context } = response.locals;
  const left = new AbortController();
  /** Pieces that the operating system has not accepted yet, because the client does not read. */
  let unread = 0;
  let stall: NodeJS.Timeout | undefined;
  response.once('close', () => {
    clearTimeout(stall);
    if (!response.writableFinished) left.abort();
  });
  // A client that has disconnected, or has an answer already, needs no reply.
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
    /** Aborted when no client waits for the rest: it disconnected, or has received the error line. */
    left: left.signal,

    get begun(): boolean {
      return response.headersSent;
    },

    /** Sends one piece; the promise, if there is one, settles when there is room for more or the client has disconnected. */
    write(text: string): void | Promise<void> {
      if (left.signal.aborted) return;
      if (!response.headersSent) {
        context.addToLog({ firstTextMs: Math.round(performance.now() - context.arrivedAt) });
        begin();
      }
      if (!response.write(text, expectRead())) return room(response);
    },

    /** Ends the reply, with the error line of `code` appended if it failed after its first text. */
    end(code?: ErrorCode): void {
      if (left.signal.aborted || response.writableEnded) return;
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
