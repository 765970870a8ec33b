import type { ServerResponse } from 'node:http';
import { type ErrorCode, formatAppendedError } from '../../shared/errors.ts';

/** A reader who has taken nothing for this long while text waits for them is cut off. */
const stallMilliseconds = 60_000;

const replyHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

export type TextReply = ReturnType<typeof createTextReply>;

/**
 * A plain-text stream: one chunk for each piece of text. Status and headers wait for the first, so that whatever fails
 * before it still has a status of its own.
 */
export function createTextReply(response: ServerResponse, headers: Record<string, string> = {}) {
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });

  function begin(): void {
    if (!response.headersSent) response.writeHead(200, { ...replyHeaders, ...headers });
  }

  return {
    /** Aborted when the client leaves before the end. */
    left: left.signal,

    get begun(): boolean {
      return response.headersSent;
    },

    /** Sends one piece; the promise, if there is one, settles when the client has room for more or has left. */
    write(text: string): void | Promise<void> {
      if (left.signal.aborted) return;
      begin();
      if (!response.write(text)) return room(response);
    },

    /** Ends the reply, with `code` appended where it failed after its first text. */
    end(code?: ErrorCode): void {
      if (left.signal.aborted) return;
      begin();
      response.end(code && formatAppendedError(code));
    },
  };
}

function room(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stallMilliseconds);
    const settle = () => {
      clearTimeout(timer);
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}
