import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { it } from 'mocha';
import { pino } from 'pino';
import type { Certificate } from '../../../server/http/certificate.ts';
import { createHttpServer, listen } from '../../../server/http/http-server.ts';
import { closing } from '../../support/closing.ts';

/**
 * Bytes that a client sends first, and those that it repeats for as long as it can: at once, or after the answer to the first.
 * A server that closes a connection with unread bytes resets it, and an answer that the client has not read yet is lost.
 */
type Sent = { first: string; repeated?: string; afterAnswer?: boolean };
type Server = Awaited<ReturnType<typeof createHastyServer>>;

/** Longer than any test. */
const never = 600_000;

const post = 'POST / HTTP/1.1\r\nHost: x\r\n';

/** Clients that keep their connection open as long as they can, with the answers that they get. */
const holdingClients: Record<string, Sent & { statuses: readonly number[] }> = {
  'sends nothing': { first: '', statuses: [408] },
  'sends headers byte by byte': { first: 'GET / HTTP/1.1\r\nHost: x\r\nA: ', repeated: 'x', statuses: [408] },
  'sends line breaks instead of a request': { first: '\r\n', repeated: '\r\n', statuses: [408] },
  'sends a body byte by byte after its request was refused': {
    first: `${post}Content-Length: 100000\r\n\r\n`,
    repeated: 'x',
    afterAnswer: true,
    statuses: [405, 408],
  },
  'sends chunk by chunk after its request was refused': {
    first: `${post}Transfer-Encoding: chunked\r\n\r\n`,
    repeated: '1\r\nx\r\n',
    afterAnswer: true,
    statuses: [405, 408],
  },
  'stays after an answer to invalid HTTP': { first: 'invalid\r\n\r\n', statuses: [400] },
  'sends more after headers that are too large': {
    first: `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}`,
    repeated: 'x',
    statuses: [431],
  },
  'sends more after a request to upgrade': {
    first: 'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
    repeated: 'x',
    afterAnswer: true,
    statuses: [200],
  },
};

type HastyOptions = { tls?: Certificate; keepAliveTimeout?: number };

/** A server with short times that answers GET with 200 and refuses everything else, before it has read a body. */
export async function createHastyServer({ tls, keepAliveTimeout = never }: HastyOptions = {}) {
  const { server, serve, connections } = createHttpServer({
    tls,
    headersTimeout: 100,
    requestTimeout: 200,
    keepAliveTimeout,
    // A client that is slow to read still gets its answer before the reset.
    lingerTimeout: 1_000,
    logger: pino({ level: 'silent' }),
  });
  serve(({ method }, response) => {
    response.statusCode = method === 'GET' ? 200 : 405;
    response.end();
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  return closing({
    server,
    port,
    connections,
    close() {
      server.close();
      connections.closeAll();
    },
  });
}

/**
 * Resolves with the statuses of the answers once the server holds no socket of the client, which never closes its side. The
 * time limit of the test is the bound.
 */
export async function hold(
  { server, port }: Server,
  { first, repeated, afterAnswer = false }: Sent,
  { encrypted = false } = {},
): Promise<number[]> {
  const to = { port, host: '127.0.0.1', allowHalfOpen: true };
  const accepted = once(server, 'connection');
  const client = encrypted ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  let received = '';
  client.on('data', (bytes) => {
    received += bytes;
  });
  client.on('error', () => undefined);
  const [socket] = await accepted;
  const closed = once(socket, 'close');
  // The rejection is that of a connection that was reset.
  const readToEnd = once(client, 'end').catch(() => undefined);
  const answered = afterAnswer && once(client, 'data');
  if (first !== '') client.write(first, 'latin1');
  await answered;
  const repeating = repeated && setInterval(() => client.write(repeated), 10);
  await Promise.all([closed, readToEnd]);
  if (repeating) clearInterval(repeating);
  client.destroy();
  return [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
}

/** The tests of a connection, plain or encrypted. */
export function itClosesHeldConnections(
  server: Server,
  { encrypted, tls }: { encrypted: boolean; tls?: () => Certificate },
): void {
  for (const [behaviour, { statuses, ...sent }] of Object.entries(holdingClients)) {
    it(`is closed by the server if its client ${behaviour}`, async () => {
      expect(await hold(server, sent, { encrypted })).to.deep.equal(statuses);
    });
  }

  it('is closed by the server if its client sends line breaks after a request', async () => {
    await using impatient = await createHastyServer({ ...(tls && { tls: tls() }), keepAliveTimeout: 100 });
    const sent = { first: 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', repeated: '\r\n', afterAnswer: true };
    expect(await hold(impatient, sent, { encrypted })).to.deep.equal([200]);
  });
}
