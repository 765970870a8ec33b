import { connect } from 'node:net';
import { now } from './calls.ts';

/** The result of one request. Times are from `now()`. */
export type Exchange = {
  sentAt: number;
  /** The time of the first text; NaN if no text arrived. */
  firstTextAt: number;
  failure: string | undefined;
};

type Options = {
  port: number;
  request: string;
  /** The expected body with its chunked encoding. */
  expected: Buffer;
  onFirstText: () => void;
  /** Disconnects during the reply, which does not count as a failure. */
  disconnect: AbortSignal;
};

/** Returns the body of a reply in which every text is one chunk of the transfer encoding. */
export const chunked = (texts: readonly string[]) =>
  Buffer.from([...texts, ''].map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`).join(''));

/** Sends one request over a new connection and compares the body byte by byte, including chunk boundaries. */
export function exchange({ port, request, expected, onFirstText, disconnect }: Options): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const result: Exchange = { sentAt: 0, firstTextAt: Number.NaN, failure: undefined };
  const socket = connect(port, '127.0.0.1').setNoDelay();
  let head = '';
  let compared = 0;

  function finish(failure?: string): void {
    disconnect.removeEventListener('abort', onDisconnect);
    if (!disconnect.aborted) result.failure ??= failure;
    socket.destroy();
    resolve(result);
  }
  const onDisconnect = () => finish();
  disconnect.addEventListener('abort', onDisconnect);

  /** Returns undefined if the status line and headers are as expected. */
  function headFailure(head: string): string | undefined {
    if (!head.startsWith('HTTP/1.1 200 ')) return `The response was ${head.split('\r\n', 1)}.`;
    if (!/^content-type: text\/plain; charset=utf-8\r?$/im.test(head)) return 'The reply is not text/plain in UTF-8.';
    if (!/^transfer-encoding: chunked\r?$/im.test(head)) return 'The body is not chunked.';
    return undefined;
  }

  function read(bytes: Buffer): void {
    let body = bytes;
    if (!head.endsWith('\r\n\r\n')) {
      const previousLength = head.length;
      const received = head + bytes.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      head = end === -1 ? received : received.slice(0, end + 4);
      if (end === -1) return;
      result.failure = headFailure(head);
      if (result.failure !== undefined) finish();
      body = bytes.subarray(head.length - previousLength);
    }
    if (body.length === 0 || result.failure !== undefined) return;
    if (compared === 0) {
      result.firstTextAt = now();
      onFirstText();
    }
    const expectedBytes = expected.subarray(compared, compared + body.length);
    compared += body.length;
    if (!expectedBytes.equals(body)) finish(`Unexpected bytes: ${JSON.stringify(String(body.subarray(0, 200)))}.`);
    else if (compared === expected.length) finish();
  }

  socket.on('connect', () => {
    result.sentAt = now();
    socket.write(request);
  });
  socket.on('data', read);
  socket.on('error', (error) => finish(String(error)));
  socket.on('close', () =>
    finish(compared === expected.length ? undefined : 'The connection closed before the end of the reply.'),
  );
  return promise;
}
