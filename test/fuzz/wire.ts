import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseResponse } from '../support/raw-http.ts';

/** Header names are in lower case. A chunked body still has its framing. */
export type ReceivedResponse = {
  status: number;
  headers: readonly [string, string][];
  body: string;
  /** Whether it has a status line, and no more bytes than its Content-Length. */
  wellFormed: boolean;
  complete: boolean;
};

export const valuesOf = ({ headers }: Pick<ReceivedResponse, 'headers'>, name: string): string[] =>
  headers.filter(([other]) => other === name).map(([, value]) => value);

/**
 * Parses the responses in `received` (Latin-1) to requests with these `methods`, without interim responses (1xx). Splits at
 * status lines, which occur in no body of the application.
 */
function responsesIn(received: string, methods: readonly string[]): ReceivedResponse[] {
  const raws = received.split(/(?=HTTP\/1\.1 )/).filter((raw) => raw !== '' && !raw.startsWith('HTTP/1.1 1'));
  return raws.map((raw, index) => {
    const { status, headers } = parseResponse(raw);
    const headEnd = raw.indexOf('\r\n\r\n');
    const body = headEnd < 0 ? '' : raw.slice(headEnd + 4);
    const length = Number(valuesOf({ headers }, 'content-length')[0] ?? Number.NaN);
    const isChunked = valuesOf({ headers }, 'transfer-encoding').includes('chunked');
    const bare = methods[index] === 'HEAD' || [204, 304].includes(status);
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
  /** All received bytes, as Latin-1. */
  received: string;
  responses: readonly ReceivedResponse[];
  /** Whether all expected responses are complete, or the server has closed the connection. */
  answered: boolean;
  /** Whether the connection has failed, which can lose a response. */
  broken: boolean;
};

/**
 * Sends the bytes unchanged, even if they are not HTTP. Disconnects once there is a complete response for each of `methods`, the server
 * has closed the connection, or `wait` milliseconds have passed since the last byte.
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
