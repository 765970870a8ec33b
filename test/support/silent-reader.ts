import type { Server } from 'node:http';
import { Duplex } from 'node:stream';

/**
 * Posts `body` as JSON over a connection whose client reads the headers of the response and nothing more. It is simulated,
 * because a real network buffers an unpredictable number of bytes. `unsentBytes` is the number of bytes that the server buffers.
 */
export function createSilentReader(server: Server, path: string, body: unknown, headers: Record<string, string> = {}) {
  let received = '';
  const connection = new Duplex({
    // Smaller than a complete reply, so that a client that stops reading fills the buffer on both routes.
    writableHighWaterMark: 8 * 1024,
    read() {},
    write(chunk, _encoding, done) {
      received += chunk;
      // The client reads the headers and stops reading at the first text.
      if (!received.includes('\r\n\r\n')) done();
    },
  });
  const payload = JSON.stringify(body);
  const fields = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(payload),
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = { remoteAddress: '127.0.0.1', server, setTimeout: () => undefined };
  server.emit('connection', Object.assign(connection, socket));
  connection.push(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${payload}`);
  return {
    connection,
    get status(): number {
      return Number(received.split(' ')[1]);
    },
    get unsentBytes(): number {
      return connection.writableLength;
    },
  };
}
