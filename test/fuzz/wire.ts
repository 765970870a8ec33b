import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseResponse } from '../support/raw-http.ts';

/** One response as it came over the wire; names of headers in lower case, a body in chunks as it came. */
export type Response = {
  status: number;
  headers: readonly [string, string][];
  body: string;
  /** whether it has a status line, and no more bytes than it says */
  wellFormed: boolean;
  complete: boolean;
};

export const valuesOf = ({ headers }: Pick<Response, 'headers'>, name: string): string[] =>
  headers.filter(([other]) => other === name).map(([, value]) => value);

/**
 * The responses in `received` (latin1) to requests with these `methods`, in their order, without interim ones (1xx). No
 * body of the application has the words of a status line in it.
 */
export function responsesIn(received: string, methods: readonly string[]): Response[] {
  const raws = received.split(/(?=HTTP\/1\.1 )/).filter((raw) => raw !== '' && !raw.startsWith('HTTP/1.1 1'));
  return raws.map((raw, place) => {
    const { status, headers } = parseResponse(raw);
    const headEnd = raw.indexOf('\r\n\r\n');
    const body = headEnd < 0 ? '' : raw.slice(headEnd + 4);
    const length = Number(valuesOf({ headers }, 'content-length')[0] ?? Number.NaN);
    const isChunked = valuesOf({ headers }, 'transfer-encoding').includes('chunked');
    const bare = methods[place] === 'HEAD' || [204, 304].includes(status);
    const ended = isChunked ? /(?:^|\r\n)0\r\n\r\n$/.test(body) : Number.isNaN(length) || body.length >= length;
    return {
      status,
      headers,
      body,
      wellFormed: raw.startsWith('HTTP/1.1 ') && !(body.length > length),
      complete: headEnd >= 0 && (bare || ended),
    };
  });
}

export type Exchanged = {
  /** everything that came back, as latin1 */
  received: string;
  responses: readonly Response[];
  /** whether as many whole responses came as were expected, or the server closed the connection */
  answered: boolean;
  /** whether the connection broke while bytes were still to be sent: an answer may be lost with it */
  broken: boolean;
};

/**
 * Sends bytes that no HTTP client would, and leaves once there is a whole response for each of `methods`, the server has
 * closed, or so many milliseconds are over after the last byte.
 */
export async function exchangeBytes(port: number, pieces: readonly Buffer[], methods: readonly string[], wait: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const done = Promise.withResolvers<boolean>();
  const exchanged: Exchanged = { received: '', responses: [], answered: false, broken: false };
  socket.on('data', (chunk) => {
    exchanged.received += chunk.toString('latin1');
    exchanged.responses = responsesIn(exchanged.received, methods);
    if (exchanged.responses.filter(({ complete }) => complete).length >= methods.length) done.resolve(true);
  });
  socket.on('error', () => {
    exchanged.broken = true;
  });
  socket.on('close', () => done.resolve(true));

  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    await nextTurn();
  }
  const timer = setTimeout(() => done.resolve(false), wait);
  exchanged.answered = await done.promise;
  clearTimeout(timer);
  socket.destroy();
  return exchanged;
}
