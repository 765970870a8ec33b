import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** One response as it came over the wire; names of headers in lower case. */
export type Response = { status: number; headers: readonly [string, string][]; body: string; complete: boolean };

/**
 * The responses in `bytes` (as latin1) to requests with these `methods`, in their order. The last may be incomplete;
 * interim ones (1xx) are left out.
 */
export function responsesIn(bytes: string, methods: readonly string[]): Response[] {
  const responses: Response[] = [];
  let rest = bytes;
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    const head = parseHead(headEnd < 0 ? rest : rest.slice(0, headEnd));
    rest = headEnd < 0 ? '' : rest.slice(headEnd + 4);
    if (head.status >= 100 && head.status < 200) continue;
    const { body, length, complete } = bodyAt(rest, head, methods[responses.length] === 'HEAD');
    rest = rest.slice(length);
    responses.push({ ...head, body, complete: complete && headEnd >= 0 });
  }
  return responses;
}

function parseHead(head: string) {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? Number.NaN), headers };
}

export function valuesOf({ headers }: Pick<Response, 'headers'>, name: string): string[] {
  return headers.filter(([other]) => other === name).map(([, value]) => value);
}

function bodyAt(rest: string, head: Pick<Response, 'status' | 'headers'>, toHead: boolean) {
  // Bytes that are no HTTP may shift which answer belongs to which request: then there is a body.
  const bare = toHead && (rest === '' || rest.startsWith('HTTP/1.1 '));
  if (bare || [204, 304].includes(head.status)) return { body: '', length: 0, complete: true };
  const [contentLength] = valuesOf(head, 'content-length');
  if (contentLength !== undefined) {
    const length = Number(contentLength);
    return { body: rest.slice(0, length), length, complete: rest.length >= length };
  }
  if (valuesOf(head, 'transfer-encoding').includes('chunked')) return chunksAt(rest);
  return { body: rest, length: rest.length, complete: valuesOf(head, 'connection').includes('close') };
}

function chunksAt(rest: string) {
  let body = '';
  let position = 0;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', position);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(rest.slice(position, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (Number.isNaN(size) || end > rest.length) return { body, length: rest.length, complete: false };
    if (size === 0) return { body, length: end, complete: true };
    body += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    position = end;
  }
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

type Options = {
  port: number;
  /** Sent one after the other. */
  pieces: readonly Buffer[];
  /** The methods of the requests in them: as many whole responses are enough. */
  methods: readonly string[];
  /** How long to wait for them after the last byte, in milliseconds. */
  patienceMilliseconds: number;
};

/** Sends bytes that no HTTP client would, and leaves once they are answered, the server has closed or patience is over. */
export async function exchangeBytes({ port, pieces, methods, patienceMilliseconds }: Options): Promise<Exchanged> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const chunks: Buffer[] = [];
  const done = Promise.withResolvers<boolean>();
  const received = () => Buffer.concat(chunks).toString('latin1');
  const responses = () => responsesIn(received(), methods);
  let broken = false;
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    if (responses().filter(({ complete }) => complete).length >= methods.length) done.resolve(true);
  });
  socket.on('error', () => {
    broken = true;
  });
  socket.on('close', () => done.resolve(true));

  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    await nextTurn();
  }
  const timer = setTimeout(() => done.resolve(false), patienceMilliseconds);
  const answered = await done.promise;
  clearTimeout(timer);
  socket.destroy();
  return { received: received(), responses: responses(), answered, broken };
}
