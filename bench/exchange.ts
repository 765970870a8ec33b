import { connect } from 'node:net';
import { now } from './calls.ts';

/** What became of one request; times on the shared clock. */
export type Exchange = {
  sentAt: number;
  /** NaN where no text came */
  firstTextAt: number;
  /** what was wrong, in a sentence */
  failure: string | undefined;
};

type Options = {
  port: number;
  /** the whole request */
  request: string;
  /** the body as it has to come over the wire, chunk for chunk */
  expected: Buffer;
  onFirstText: () => void;
  /** aborted to leave in mid-reply, which is no failure */
  left: AbortSignal;
};

/** The body of a reply in which every text is a chunk of its own. */
export const chunked = (texts: readonly string[]) =>
  Buffer.from([...texts, ''].map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`).join(''));

/** Sends one request over a connection of its own, and compares what comes back byte by byte, boundaries of chunks included. */
export function exchange({ port, request, expected, onFirstText, left }: Options): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const result: Exchange = { sentAt: 0, firstTextAt: Number.NaN, failure: undefined };
  const socket = connect(port, '127.0.0.1').setNoDelay();
  let head = '';
  let compared = 0;

  function settle(failure?: string): void {
    left.removeEventListener('abort', leave);
    if (!left.aborted) result.failure ??= failure;
    socket.destroy();
    resolve(result);
  }
  const leave = () => settle();
  left.addEventListener('abort', leave);

  /** Gives what is wrong with the beginning of an answer. */
  function wrongWith(head: string): string | undefined {
    if (!head.startsWith('HTTP/1.1 200 ')) return `The answer was ${head.split('\r\n', 1)}.`;
    if (!/^content-type: text\/plain; charset=utf-8\r?$/im.test(head)) return 'The reply is no plain text.';
    if (!/^transfer-encoding: chunked\r?$/im.test(head)) return 'The body is not chunked.';
    return undefined;
  }

  function read(bytes: Buffer): void {
    let body = bytes;
    if (!head.endsWith('\r\n\r\n')) {
      const before = head.length;
      const all = head + bytes.toString('latin1');
      const end = all.indexOf('\r\n\r\n');
      head = end === -1 ? all : all.slice(0, end + 4);
      if (end === -1) return;
      result.failure = wrongWith(head);
      if (result.failure !== undefined) settle();
      body = bytes.subarray(head.length - before);
    }
    if (body.length === 0 || result.failure !== undefined) return;
    if (compared === 0) {
      result.firstTextAt = now();
      onFirstText();
    }
    const due = expected.subarray(compared, compared + body.length);
    compared += body.length;
    if (!due.equals(body)) settle(`Not as expected: ${JSON.stringify(String(body.subarray(0, 200)))}.`);
    else if (compared === expected.length) settle();
  }

  socket.on('connect', () => {
    result.sentAt = now();
    socket.write(request);
  });
  socket.on('data', read);
  socket.on('error', (error) => settle(String(error)));
  socket.on('close', () => settle(compared === expected.length ? undefined : 'The connection closed before the end.'));
  return promise;
}
