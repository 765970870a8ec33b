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
 * Bytes that a client sends first, and bytes that it repeats until the connection closes, starting immediately or after
 * the response to the first. A server that closes a connection with unread bytes resets it, and a response that the
 * client has not read yet is lost.
 */
type RequestBytes = { first: string; repeatedBytes?: string; afterResponse?: boolean };
type Server = Awaited<ReturnType<typeof createHastyServer>>;

/** Exceeds the timeout of any test, so that only the tested timeout closes a connection. */
const never = 600_000;

const post = 'POST / HTTP/1.1\r\nHost: x\r\n';

/** Clients that never close their connection, with the statuses that they receive. */
const holdingClients: Record<string, RequestBytes & { statuses: readonly number[] }> = {
  'sends nothing': { first: '', statuses: [408] },
  'sends headers byte by byte': { first: 'GET / HTTP/1.1\r\nHost: x\r\nA: ', repeatedBytes: 'x', statuses: [408] },
  'sends line breaks instead of a request': { first: '\r\n', repeatedBytes: '\r\n', statuses: [408] },
  'sends a body byte by byte after a 405 response': {
    first: `${post}Content-Length: 100000\r\n\r\n`,
    repeatedBytes: 'x',
    afterResponse: true,
    statuses: [405, 408],
  },
  'sends chunk after chunk after a 405 response': {
    first: `${post}Transfer-Encoding: chunked\r\n\r\n`,
    repeatedBytes: '1\r\nx\r\n',
    afterResponse: true,
    statuses: [405, 408],
  },
  'stays connected after a 400 response': { first: 'invalid\r\n\r\n', statuses: [400] },
  'continues to send after a 431 response': {
    first: `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}`,
    repeatedBytes: 'x',
    statuses: [431],
  },
  'continues to send after an upgrade request': {
    first: 'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
    repeatedBytes: 'x',
    afterResponse: true,
    statuses: [200],
  },
};

type HastyOptions = { tls?: Certificate; keepAliveTimeout?: number };

/**
 * A server with short timeouts that responds to GET with 200 and to everything else with 405, without reading the body.
 */
export async function createHastyServer({ tls, keepAliveTimeout = never }: HastyOptions = {}) {
  const { server, serve, connections } = createHttpServer({
    tls,
    headersTimeout: 100,
    requestTimeout: 200,
    keepAliveTimeout,
    // Gives a slow client time to read the response before the reset.
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
 * Resolves with the statuses of the responses when the server has closed its socket. The client never closes its side,
 * so only the test's own timeout limits the wait.
 */
export async function hold(
  { server, port }: Server,
  { first, repeatedBytes, afterResponse = false }: RequestBytes,
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
  // Rejects if the connection is reset.
  const readToEnd = once(client, 'end').catch(() => undefined);
  const answered = afterResponse && once(client, 'data');
  if (first !== '') client.write(first, 'latin1');
  await answered;
  const repeating = repeatedBytes && setInterval(() => client.write(repeatedBytes), 10);
  await Promise.all([closed, readToEnd]);
  if (repeating) clearInterval(repeating);
  client.destroy();
  return [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
}

/** Defines the tests that plain and encrypted connections share. */
export function itClosesHeldConnections(
  server: Server,
  { encrypted, tls }: { encrypted: boolean; tls?: () => Certificate },
): void {
  for (const [behavior, { statuses, ...sent }] of Object.entries(holdingClients)) {
    it(`is closed by the server if the client ${behavior}`, async () => {
      expect(await hold(server, sent, { encrypted })).to.deep.equal(statuses);
    });
  }

  it('is closed by the server if the client sends only line breaks after a request', async () => {
    await using impatient = await createHastyServer({ ...(tls && { tls: tls() }), keepAliveTimeout: 100 });
    const sent = { first: 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', repeatedBytes: '\r\n', afterResponse: true };
    expect(await hold(impatient, sent, { encrypted })).to.deep.equal([200]);
  });
}
