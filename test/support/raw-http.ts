import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends the bytes unchanged, even if they are not HTTP, and returns all received bytes once the server has closed the connection. */
export async function rawExchange(url: string, ...pieces: string[]): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  for (const piece of pieces) socket.write(piece, 'latin1');
  return text(socket);
}

export function parseResponse(raw: string) {
  const [head = '', body = ''] = raw.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(' ')[1]), headers, body };
}
