import { parseResponse, rawExchange } from '../../support/raw-http.ts';

/** A ULID, as the service issues them: 26 characters. */
export const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const json = 'Content-Type: application/json';

/** Text as the characters that stand for its UTF-8 bytes: answers are read as UTF-8 again. */
export const asBytes = (text: string) => Buffer.from(text).toString('latin1');

/**
 * Sends one request on a connection of its own, with the header lines given and no others but `Host`, `Connection` and,
 * where there is a body, its length. Header values and the body are taken as bytes.
 */
export async function send(url: string, requestLine: string, headers: readonly string[] = [], body = '') {
  const lines = [`${requestLine} HTTP/1.1`, `Host: ${new URL(url).host}`, 'Connection: close', ...headers];
  if (body !== '') lines.push(`Content-Length: ${body.length}`);
  return exchange(url, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Sends bytes as they are, and gives the answer: exactly one, or it throws. */
export async function exchange(url: string, bytes: string) {
  const raw = await rawExchange(url, bytes);
  const answers = raw.match(/^HTTP\/1\.1 /gm)?.length;
  if (answers !== 1) throw new Error(`One answer was expected, not this: ${raw}`);
  const { status, headers, body } = parseResponse(raw);
  return {
    raw,
    status,
    body,
    /** The values of a header, one for each time it occurs. */
    valuesOf: (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value),
  };
}

export type Answer = Awaited<ReturnType<typeof exchange>>;

/**
 * Posts `body` as JSON (ASCII once it is serialised) and gives the answer with its body piece by piece as it was sent:
 * a chunk each, which HTTP clients do not tell apart, or the whole where it has a length.
 * @throws where a chunked body does not come to its end
 */
export async function postForPieces(url: string, body: unknown, headers: Record<string, string> = {}) {
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers });
  const fields = lines.map(([name, value]) => `${name}: ${value}`);
  const { raw, status, valuesOf } = await send(url, `POST ${new URL(url).pathname}`, fields, JSON.stringify(body));
  const rest = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  const isChunked = valuesOf('transfer-encoding').includes('chunked');
  return { status, valuesOf, pieces: isChunked ? chunks(Buffer.from(rest)) : [rest] };
}

function chunks(body: Buffer): string[] {
  const found: string[] = [];
  let position = 0;
  for (;;) {
    const lineEnd = body.indexOf('\r\n', position);
    const size = Number.parseInt(body.toString('latin1', position, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error(`The body ends after ${found.length} chunks without the last one.`);
    if (size === 0) return found;
    found.push(body.toString('utf8', lineEnd + 2, lineEnd + 2 + size));
    position = lineEnd + 2 + size + 2;
  }
}
