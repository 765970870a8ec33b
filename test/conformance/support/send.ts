import { parseResponse, rawExchange } from '../../support/raw-http.ts';

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
