import type { Server } from 'node:http';
import { Duplex } from 'node:stream';

/**
 * Posts `body` as JSON over a connection whose other end takes the first write and no more, as exactly as no real network
 * does: `waiting` is what the server holds for it. `stall` tells the server what a socket does: it made no progress within its timeout.
 */
export function createSilentReader(server: Server, path: string, body: unknown, headers: Record<string, string> = {}) {
  let taken = '';
  const connection = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      taken += chunk;
      // A chunk of text ends the reader's interest; headers alone do not.
      if (!taken.includes('\r\n\r\n')) done();
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
  let timeoutMilliseconds = 0;
  server.emit(
    'connection',
    Object.assign(connection, {
      remoteAddress: '127.0.0.1',
      setTimeout(milliseconds: number) {
        timeoutMilliseconds = milliseconds;
      },
      server,
    }),
  );
  connection.push(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${payload}`);
  return {
    connection,
    get status(): number {
      return Number(taken.split(' ')[1]);
    },
    get timeoutMilliseconds(): number {
      return timeoutMilliseconds;
    },
    stall: () => connection.emit('timeout'),
    get waitingBytes(): number {
      return connection.writableLength;
    },
  };
}
