import { connect } from 'node:net';
import { now } from './calls.ts';

/** What became of one request; times on the shared clock. */
export type Exchange = {
  sentAt: number;
  /** when each chunk had arrived; shorter where the exchange failed or was left */
  receivedAt: number[];
  conversationId: string | undefined;
  /** what was wrong, in a sentence */
  failure: string | undefined;
};

type Options = {
  port: number;
  /** the whole request */
  request: string;
  /** the chunks that the reply has to consist of, byte for byte */
  expected: readonly Buffer[];
  onFirstText?: () => void;
  /** aborted to leave in mid-reply, which is no failure */
  left: AbortSignal;
};

/** Sends one request over a connection of its own and checks every byte and every boundary of what comes back. */
export function exchange({ port, request, expected, onFirstText, left }: Options): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const result: Exchange = { sentAt: 0, receivedAt: [], conversationId: undefined, failure: undefined };
  const socket = connect(port, '127.0.0.1').setNoDelay();
  let ended = false;

  function settle(failure?: string): void {
    if (failure !== undefined && !left.aborted && !ended) result.failure = failure;
    ended = true;
    left.removeEventListener('abort', leave);
    socket.destroy();
    resolve(result);
  }
  const leave = () => settle();
  left.addEventListener('abort', leave);

  const reader = createResponseReader({
    onHead(head) {
      if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`The answer was ${head.split('\r\n', 1)}.`);
      if (!/^content-type: text\/plain; charset=utf-8\r?$/im.test(head)) throw new Error('The reply is no plain text.');
      result.conversationId = /^x-conversation-id: (\S+)/im.exec(head)?.[1];
    },
    onChunk(bytes) {
      const index = result.receivedAt.length;
      if (expected[index]?.equals(bytes) !== true)
        throw new Error(`Chunk ${index} is ${JSON.stringify(String(bytes))}.`);
      result.receivedAt.push(now());
      if (index === 0) onFirstText?.();
    },
    onEnd() {
      const { length } = result.receivedAt;
      settle(length === expected.length ? undefined : `The reply had ${length} chunks of ${expected.length}.`);
    },
  });

  socket.on('connect', () => {
    result.sentAt = now();
    socket.write(request);
  });
  socket.on('data', (bytes) => {
    try {
      reader.read(bytes);
    } catch (error) {
      settle(String(error));
    }
  });
  socket.on('error', (error) => settle(String(error)));
  socket.on('close', () => settle('The connection closed before the end.'));
  return promise;
}

type Sink = {
  /** The status line and the header lines. */
  onHead(head: string): void;
  /** One chunk of the body, as the server framed it. */
  onChunk(bytes: Buffer): void;
  onEnd(): void;
};

/**
 * Reads one HTTP/1.1 response off a connection and keeps the boundaries of its chunks, which an HTTP client does not show.
 * It throws where the response is not chunked or its framing is broken.
 */
function createResponseReader({ onHead, onChunk, onEnd }: Sink) {
  let part: 'head' | 'body' | 'end' = 'head';
  let unread: Buffer = Buffer.alloc(0);

  /** Takes what is whole from `unread` at `from`; gives where the rest begins, or -1 where nothing is whole. */
  function take(from: number): number {
    if (part === 'head') {
      const end = unread.indexOf('\r\n\r\n', from);
      if (end === -1) return -1;
      const head = unread.toString('latin1', from, end);
      onHead(head);
      if (!/^transfer-encoding: chunked\r?$/im.test(head)) throw new Error('The body is not chunked.');
      part = 'body';
      return end + 4;
    }
    if (part === 'end') throw new Error('Something follows the end.');
    const line = unread.indexOf('\r\n', from);
    if (line === -1) return -1;
    const size = Number.parseInt(unread.toString('latin1', from, line), 16);
    if (Number.isNaN(size)) throw new Error('A chunk has no size.');
    const end = line + 2 + size;
    if (unread.length < end + 2) return -1;
    if (unread[end] !== 13 || unread[end + 1] !== 10) throw new Error('A chunk is longer than its size.');
    if (size > 0) onChunk(unread.subarray(line + 2, end));
    else {
      part = 'end';
      onEnd();
    }
    return end + 2;
  }

  return {
    read(bytes: Buffer): void {
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      let at = 0;
      while (at < unread.length) {
        const next = take(at);
        if (next === -1) break;
        at = next;
      }
      unread = unread.subarray(at);
    },
  };
}
