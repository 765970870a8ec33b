import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { answerCalls } from '../processes/answer-calls.ts';

/*
 * Puts the provider far away: whoever connects here speaks TLS with it, over a way that takes 15 ms in each direction.
 */

const oneWayMilliseconds = 15;

let provider: { port: number; host: string } | undefined;
const near = new Set<Socket>();

/** Ends TLS beside the provider. */
const ending = createTlsServer({ noDelay: true }, (socket) => {
  if (provider === undefined) throw new Error('Nobody has said where the provider is.');
  join(socket, connect({ ...provider, noDelay: true }));
});

/** The way there, of bytes alone. */
const way = createTcpServer({ noDelay: true }, (socket) => {
  const { port } = ending.address() as AddressInfo;
  const far = connect({ port, host: '127.0.0.1', noDelay: true });
  near.add(socket);
  socket.once('close', () => near.delete(socket));
  // A loopback connection is there at once. Over the way, its handshake would have taken a round trip.
  const openAt = performance.now() + 2 * oneWayMilliseconds;
  carry(socket, far, () => Math.max(0, openAt - performance.now()));
  carry(far, socket, () => 0);
});

/** Hands on what `from` says, each packet after the way's time and `more()`; the end of one is the end of both. */
function carry(from: Socket, to: Socket, more: () => number): void {
  const later = (act: () => void) => setTimeout(act, oneWayMilliseconds + more());
  from.on('data', (bytes) => void later(() => to.writable && to.write(bytes)));
  from.once('close', () => void later(() => to.destroy()));
  from.on('error', () => {});
}

function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.once('close', () => to.destroy());
    from.on('error', () => {});
  }
}

for (const server of [ending, way]) {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
}

const calls = {
  /** Gives the address under which the provider at `url` is far away, with a certificate from these files. */
  stand({ url, certificate, key }: { url: string; certificate: string; key: string }): string {
    const { hostname, port } = new URL(url);
    provider = { host: hostname, port: Number(port) };
    ending.setSecureContext({ cert: readFileSync(certificate), key: readFileSync(key) });
    return `https://127.0.0.1:${(way.address() as AddressInfo).port}`;
  },

  /** Closes every connection that is open, as if minutes had passed. */
  closeConnections(): void {
    for (const socket of near) socket.destroy();
  },
};

export type DistantProviderCalls = typeof calls;

answerCalls(calls);
