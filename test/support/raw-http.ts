import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const jsonContentType = 'Content-Type: application/json';

/** Sends the bytes unchanged, even if they are not HTTP, and returns all received bytes once the server has closed the connection. */
export async function rawExchange(url: string, ...pieces: string[]): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  for (const piece of pieces) socket.write(piece, 'latin1');
  return text(socket);
}

export type RawResponse = ReturnType<typeof parseResponse>;

export function parseResponse(raw: string) {
  const [head = '', body = ''] = raw.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    raw,
    status: Number(statusLine.split(' ')[1]),
    headers,
    body,
    valuesOf: (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value),
  };
}

/** Encodes text for `send`, which writes Latin-1, so that it arrives as UTF-8. Responses are decoded as UTF-8. */
export const utf8AsLatin1 = (text: string) => Buffer.from(text).toString('latin1');

/**
 * Sends one request on a new connection. To the given header lines it adds only `Host`, `Connection` and, if there is a body,
 * `Content-Length`. Header values and the body are written as Latin-1.
 */
export async function send(url: string, requestLine: string, headers: readonly string[] = [], body = '') {
  const lines = [`${requestLine} HTTP/1.1`, `Host: ${new URL(url).host}`, 'Connection: close', ...headers];
  if (body !== '') lines.push(`Content-Length: ${body.length}`);
  return exchange(url, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** @throws Error unless there is exactly one response */
export async function exchange(url: string, bytes: string) {
  const raw = await rawExchange(url, bytes);
  const answers = raw.match(/^HTTP\/1\.1 /gm)?.length;
  if (answers !== 1) throw new Error(`Expected exactly one response, received: ${raw}`);
  return parseResponse(raw);
}

/**
 * Posts `body` as JSON (which must be ASCII) and returns the HTTP chunks of the response body, which HTTP clients do not
 * expose. A body with a Content-Length counts as a single chunk.
 * @throws Error if a chunked body has no last chunk
 */
export async function postForChunks(url: string, body: unknown, headers: Record<string, string> = {}) {
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers });
  const fields = lines.map(([name, value]) => `${name}: ${value}`);
  const { raw, status, valuesOf } = await send(url, `POST ${new URL(url).pathname}`, fields, JSON.stringify(body));
  const rest = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  const isChunked = valuesOf('transfer-encoding').includes('chunked');
  return { status, valuesOf, chunks: isChunked ? chunks(Buffer.from(rest)) : [rest] };
}

function chunks(body: Buffer): string[] {
  const result: string[] = [];
  let position = 0;
  for (;;) {
    const lineEnd = body.indexOf('\r\n', position);
    const size = Number.parseInt(body.toString('latin1', position, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error(`The body ends after ${result.length} chunks without the last one.`);
    if (size === 0) return result;
    result.push(body.toString('utf8', lineEnd + 2, lineEnd + 2 + size));
    position = lineEnd + 2 + size + 2;
  }
}
