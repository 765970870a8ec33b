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

  function onHead(head: string): void {
    if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`The answer was ${head.split('\r\n', 1)}.`);
    if (!/^content-type: text\/plain; charset=utf-8\r?$/im.test(head)) throw new Error('The reply is no plain text.');
    if (!/^transfer-encoding: chunked\r?$/im.test(head)) throw new Error('The body is not chunked.');
    result.conversationId = /^x-conversation-id: (\S+)/im.exec(head)?.[1];
  }

  function onChunk(bytes: Buffer): void {
    const index = result.receivedAt.length;
    if (expected[index]?.equals(bytes) !== true) throw new Error(`Chunk ${index} is ${JSON.stringify(String(bytes))}.`);
    result.receivedAt.push(now());
    if (index === 0) onFirstText?.();
  }

  let unread: Buffer = Buffer.alloc(0);
  let isInBody = false;

  /** Takes what is whole of `unread`, and keeps the boundaries of chunks, which an HTTP client does not show. */
  function read(): void {
    if (!isInBody) {
      const end = unread.indexOf('\r\n\r\n');
      if (end === -1) return;
      onHead(unread.toString('latin1', 0, end));
      isInBody = true;
      unread = unread.subarray(end + 4);
    }
    for (;;) {
      const line = unread.indexOf('\r\n');
      if (line === -1) return;
      const size = Number.parseInt(unread.toString('latin1', 0, line), 16);
      if (Number.isNaN(size)) throw new Error('A chunk has no size.');
      const end = line + 2 + size;
      if (unread.length < end + 2) return;
      if (unread[end] !== 13 || unread[end + 1] !== 10) throw new Error('A chunk is longer than its size.');
      if (size > 0) onChunk(unread.subarray(line + 2, end));
      unread = unread.subarray(end + 2);
      if (size > 0) continue;
      if (unread.length > 0) throw new Error('Something follows the end.');
      const { length } = result.receivedAt;
      settle(length === expected.length ? undefined : `The reply had ${length} chunks of ${expected.length}.`);
      return;
    }
  }

  socket.on('connect', () => {
    result.sentAt = now();
    socket.write(request);
  });
  socket.on('data', (bytes) => {
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    try {
      read();
    } catch (error) {
      settle(String(error));
    }
  });
  socket.on('error', (error) => settle(String(error)));
  socket.on('close', () => settle('The connection closed before the end.'));
  return promise;
}
