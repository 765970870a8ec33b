import { parseResponse, rawExchange } from '../../support/raw-http.ts';

export const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const jsonContentType = 'Content-Type: application/json';

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
  const { status, headers, body } = parseResponse(raw);
  return {
    raw,
    status,
    body,
    valuesOf: (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value),
  };
}

export type RawResponse = Awaited<ReturnType<typeof exchange>>;

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
