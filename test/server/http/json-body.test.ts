import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { constants, gzipSync } from 'node:zlib';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import express from 'express';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { errorHandler } from '../../../server/http/errors.ts';
import { createHttpServer, listen } from '../../../server/http/http-server.ts';
import { createBodies } from '../../../server/http/json-body.ts';
import { capacitySentences, formatError } from '../../../shared/errors.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { parseResponse } from '../../support/raw-http.ts';
import { createTestApp, post, question } from '../../support/test-app.ts';

const logger = pino({ level: 'silent' });
const kibibyte = 1024;
const memoryFull = formatError('UPSTREAM_OVERLOADED', undefined, capacitySentences.bodies);

/** Starts a server that answers each body with its number of characters. Bodies have at most 40 KiB, together 60 KiB. */
async function createReadingServer() {
  const { server, serve, connections } = createHttpServer({ maxConnections: 100, logger });
  const { admit, parseJson } = createBodies({ memoryBytes: 60 * kibibyte }).upTo(40 * kibibyte);
  const sockets = new Map<number | undefined, Socket>();
  server.on('connection', (socket) => sockets.set(socket.remotePort, socket));
  const app = express();
  app.use(admit, parseJson, (request, response) => void response.send(String(request.body.length)));
  app.use(errorHandler);
  serve(app);
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  return closing({
    port,
    /** Resolves when the server has received all bytes of a client. */
    received: ({ localPort, bytesWritten }: Socket) =>
      eventually(() => (sockets.get(localPort)?.bytesRead === bytesWritten ? true : undefined)),
    close() {
      server.close();
      connections.closeAll();
    },
  });
}

/** Sends the start of a body, and resolves when the server has received it. */
async function begin(
  { port, received }: Awaited<ReturnType<typeof createReadingServer>>,
  { start, fields }: { start: Buffer | string; fields: string[] },
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = ['POST / HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'X-Request-Id: mine'];
  socket.write(`${[...head, ...fields].join('\r\n')}\r\n\r\n`);
  socket.write(start);
  await received(socket);
  return socket;
}

const declared = (length: number) => [`Content-Length: ${length}`];
const string = (length: number) => `"${'x'.repeat(length - 2)}"`;
const answerTo = (socket: Socket) => text(socket).then(parseResponse);

describe('the bodies in arrival', () => {
  it('get 503 on a closed connection if they do not fit into the memory together, and fit again once one is complete', async () => {
    await using server = await createReadingServer();
    const body = string(40 * kibibyte);
    const first = await begin(server, { start: body.slice(0, -1), fields: declared(body.length) });
    const second = await begin(server, { start: string(30 * kibibyte), fields: declared(body.length) });
    const refused = await answerTo(second);
    expect([refused.status, refused.body]).to.deep.equal([503, memoryFull]);
    expect(refused.headers).to.deep.include(['connection', 'close']).and.deep.include(['x-request-id', 'mine']);
    first.end('"');
    await once(first, 'data');
    const third = await post(`http://127.0.0.1:${server.port}`, body);
    expect(await third.text()).to.equal(String(body.length - 2));
  });

  it('use memory for what has arrived, after decompression, and not for a declared length', async () => {
    await using server = await createReadingServer();
    for (let count = 0; count < 3; count += 1) {
      await begin(server, { start: '"', fields: declared(40 * kibibyte) });
    }
    const unfinished = gzipSync(string(36 * kibibyte), { finishFlush: constants.Z_SYNC_FLUSH });
    const fields = ['Content-Encoding: gzip', ...declared(kibibyte)];
    await begin(server, { start: unfinished, fields });
    const refused = await eventually(async () => {
      const response = await post(`http://127.0.0.1:${server.port}`, string(16 * kibibyte));
      return response.status === 503 ? await response.text() : undefined;
    });
    expect(refused).to.equal(memoryFull);
  });

  it('release their memory when the client disconnects', async () => {
    await using server = await createReadingServer();
    const body = string(40 * kibibyte);
    const first = await begin(server, { start: body.slice(0, -1), fields: declared(body.length) });
    expect((await post(`http://127.0.0.1:${server.port}`, body)).status).to.equal(503);
    first.destroy();
    await eventually(async () => {
      const { status } = await post(`http://127.0.0.1:${server.port}`, body);
      return status === 200 ? true : undefined;
    });
  });

  it('are refused before the request counts against the limit', async () => {
    await using app = await createTestApp({ bodies: { memoryBytes: 8 * kibibyte }, limits: { demo: 1 } });
    const json = JSON.stringify(question()).padEnd(9 * kibibyte);
    const refused = await app.demo(json);
    expect([refused.status, await refused.text()]).to.deep.equal([503, memoryFull]);
    expect((await app.demo(question())).status).to.equal(200);
  });
});

describe('a slow body', () => {
  let clock: Clock;
  beforeEach(() => {
    clock = install({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => clock.uninstall());

  it('gets 408 on a closed connection once fewer than 10 KiB have arrived in 10 s', async () => {
    await using server = await createReadingServer();
    const fields = declared(40 * kibibyte);
    const socket = await begin(server, { start: 'x'.repeat(10 * kibibyte), fields });
    clock.tick(10_000);
    socket.write('x'.repeat(10 * kibibyte - 1));
    await server.received(socket);
    clock.tick(10_000);
    const { status, headers, body } = await answerTo(socket);
    expect([status, body]).to.deep.equal([408, 'The request took too long to arrive.\n']);
    expect(headers).to.deep.include(['connection', 'close']).and.deep.include(['x-request-id', 'mine']);
  });

  it('is read if 10 KiB arrive in every 10 s', async () => {
    await using server = await createReadingServer();
    const body = string(35 * kibibyte);
    const fields = declared(body.length);
    const socket = await begin(server, { start: body.slice(0, 10 * kibibyte), fields });
    for (const kibibytes of [10, 20]) {
      clock.tick(10_000);
      socket.write(body.slice(kibibytes * kibibyte, (kibibytes + 10) * kibibyte));
      await server.received(socket);
    }
    clock.tick(10_000);
    socket.write(body.slice(30 * kibibyte));
    socket.end();
    expect((await answerTo(socket)).body).to.equal(String(body.length - 2));
  });
});
