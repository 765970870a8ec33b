import { parseResponse, rawExchange } from '../../support/raw-http.ts';

/**
 * Posts `body` as JSON (ASCII once it is serialised) and gives the answer with its body piece by piece as it was sent:
 * a chunk each, which HTTP clients do not tell apart, or the whole where it has a length.
 * @throws where a chunked body does not come to its end
 */
export async function postForPieces(url: string, body: unknown, headers: Record<string, string> = {}) {
  const { host, pathname } = new URL(url);
  const payload = JSON.stringify(body);
  const fields = {
    Host: host,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': payload.length,
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const raw = await rawExchange(url, `POST ${pathname} HTTP/1.1\r\n${head.join('')}\r\n${payload}`);

  const response = parseResponse(raw);
  const answered = new Headers(response.headers);
  const rest = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  const pieces = answered.get('transfer-encoding') === 'chunked' ? chunks(Buffer.from(rest)) : [rest];
  return { status: response.status, headers: answered, pieces };
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
