import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { constants, gzipSync } from 'node:zlib';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { errorHandler } from '../../../server/http/errors.ts';
import { createHttpServer, listen } from '../../../server/http/http-server.ts';
import { type BodyBounds, createBodyReader } from '../../../server/http/json-body.ts';
import { bodySentences } from '../../../shared/body-limits.ts';
import { capacitySentences, formatError } from '../../../shared/errors.ts';
import { routes } from '../../../shared/interface.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { parseResponse } from '../../support/raw-http.ts';
import { createTestApp, post, question } from '../../support/test-app.ts';

const logger = pino({ level: 'silent' });
const kibibyte = 1024;
const overloaded = (name: keyof typeof capacitySentences) =>
  formatError('UPSTREAM_OVERLOADED', undefined, capacitySentences[name]);
const memoryFull = overloaded('bodies');

/** Starts a server that answers each body with its number of characters. A body of `/demo` counts as one of demo chat. */
async function createReadingServer({
  before = (_request, _response, next) => next(),
  maxBodyBytes = 40 * kibibyte,
  memoryBytes = 60 * kibibyte,
  ...bounds
}: BodyBounds & {
  before?: RequestHandler;
  maxBodyBytes?: number;
} = {}) {
  const { server, serve, connections } = createHttpServer({ maxConnections: 100, logger });
  const bodies = createBodyReader({ memoryBytes, ...bounds });
  const sockets = new Map<number | undefined, Socket>();
  const errors: unknown[] = [];
  server.on('connection', (socket) => sockets.set(socket.remotePort, socket));
  const app = express();
  for (const path of ['/demo', '/']) {
    const { admit, parseJson } = bodies.handlersFor(maxBodyBytes, { isDemo: path === '/demo' });
    app.use(path, admit, before, parseJson, (request, response) => void response.send(String(request.body.length)));
  }
  const recordError: ErrorRequestHandler = (error, _request, _response, next) => {
    errors.push(error);
    next(error);
  };
  app.use(recordError, errorHandler);
  serve(app);
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  return closing({
    port,
    errors,
    bodies,
    received: ({ localPort, bytesWritten }: Socket) =>
      eventually(() => (sockets.get(localPort)?.bytesRead === bytesWritten ? true : undefined)),
    close() {
      server.close();
      connections.closeAll();
    },
  });
}

async function begin(
  { port, received }: Awaited<ReturnType<typeof createReadingServer>>,
  { start, fields, path = '/' }: { start: Buffer | string; fields: string[]; path?: string },
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', 'X-Request-Id: mine'];
  socket.write(`${[...head, ...fields].join('\r\n')}\r\n\r\n`);
  socket.write(start);
  await received(socket);
  return socket;
}

const declared = (length: number) => [`Content-Length: ${length}`];
const string = (length: number) => `"${'x'.repeat(length - 2)}"`;
const answerTo = (socket: Socket) => text(socket).then(parseResponse);

describe('request bodies', () => {
  it('get 503 and a closed connection if together they do not fit into the memory, and are accepted again once one is complete', async () => {
    await using server = await createReadingServer();
    const body = string(40 * kibibyte);
    const first = await begin(server, { start: body.slice(0, -1), fields: declared(body.length) });
    const second = await begin(server, { start: string(30 * kibibyte), fields: declared(body.length) });
    const refused = await answerTo(second);
    expect([refused.status, refused.body]).to.deep.equal([503, memoryFull]);
    expect([...refused.valuesOf('connection'), ...refused.valuesOf('x-request-id')]).to.deep.equal(['close', 'mine']);
    first.end('"');
    await once(first, 'data');
    const third = await post(`http://127.0.0.1:${server.port}`, body);
    expect(await third.text()).to.equal(String(body.length - 2));
  });

  it('use memory for the bytes that have arrived, after decompression, and not for a declared length', async () => {
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

  for (const [whose, bounds, sentence, others] of [
    ['an address', { shareBytes: 50 * kibibyte }, 'share', { address: '192.0.2.8' }],
    ['demo chat', { demoBytes: 50 * kibibyte }, 'demo', { path: '/' }],
  ] as const) {
    it(`of ${whose} get 503 and a closed connection beyond their share, and leave the rest of the memory to others`, async () => {
      await using server = await createReadingServer({ memoryBytes: 100 * kibibyte, ...bounds });
      const body = string(40 * kibibyte);
      const send = ({ path = '/demo', address = '192.0.2.7' } = {}) =>
        begin(server, { start: body.slice(0, -1), fields: [...declared(body.length), `X-Real-IP: ${address}`], path });
      await send();
      const refused = await answerTo(await send());
      expect([refused.status, refused.body]).to.deep.equal([503, overloaded(sentence)]);
      expect(refused.valuesOf('connection')).to.deep.equal(['close']);
      const admitted = await send(others);
      admitted.end('"');
      expect((await answerTo(admitted)).status).to.equal(200);
    });
  }

  it('of a user share memory across addresses and routes, and the log names the limit that refused one', async () => {
    await using app = await createTestApp({ bodies: { shareBytes: 8 * kibibyte } });
    const [avery, casey] = [await app.person(), await app.person({ provider: 'github', who: 'casey-example' })];
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    const head = [`POST ${routes.liveChat} HTTP/1.1`, 'Host: localhost', `Cookie: ${avery.cookie}`];
    const fields = ['Content-Type: application/json', 'X-Real-IP: 192.0.2.7', ...declared(8 * kibibyte)];
    socket.write(`${[...head, ...fields].join('\r\n')}\r\n\r\n${' '.repeat(6 * kibibyte)}`);
    await eventually(() => (app.bodies.usedBytes > 0 ? true : undefined));
    const refused = await app.live(avery, question());
    expect([refused.status, await refused.text()]).to.deep.equal([503, overloaded('share')]);
    expect(app.lines.at(-1)).to.include({ status: 503, capacity: 'bodies-user' });
    const { browser } = avery;
    expect((await browser.post(routes.onboarding, {})).status).to.equal(503);
    expect((await app.live(casey, question())).status).to.equal(200);
    socket.destroy();
  });

  it('get 413 if they decompress to more than 64 KiB and 20 times their size', async () => {
    await using server = await createReadingServer({ maxBodyBytes: 1024 * kibibyte, memoryBytes: 1024 * kibibyte });
    const incompressible = randomBytes(6 * kibibyte).toString('base64');
    async function send(json: string) {
      const compressed = gzipSync(json);
      const fields = ['Content-Encoding: gzip', 'Connection: close', ...declared(compressed.length)];
      const { status, body } = await answerTo(await begin(server, { start: compressed, fields }));
      return { status, body, factor: json.length / compressed.length };
    }
    const small = await send(string(64 * kibibyte));
    expect(small.factor).to.be.above(100);
    expect(small.status).to.equal(200);
    const dense = await send(`"${incompressible}${'x'.repeat(110 * kibibyte)}"`);
    expect(dense.factor).to.be.within(18, 20);
    expect(dense.status).to.equal(200);
    const denser = await send(`"${incompressible}${'x'.repeat(140 * kibibyte)}"`);
    expect([denser.status, denser.body]).to.deep.equal([413, `${bodySentences.tooCompressed}\n`]);
  });

  it('get 413 if they exceed the maximum size as sent or decompressed, even if they also do not fit into the memory', async () => {
    await using server = await createReadingServer();
    for (const [body, headers] of [
      [string(70 * kibibyte), {}],
      [gzipSync(string(50 * kibibyte)), { 'Content-Encoding': 'gzip' }],
    ] as const) {
      const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
      const refused = await fetch(`http://127.0.0.1:${server.port}`, init);
      expect([refused.status, await refused.text()]).to.deep.equal([413, `${bodySentences.tooLarge(40 * kibibyte)}\n`]);
    }
  });

  it('get 413 if they never end, even if they decompress to nothing', async () => {
    await using server = await createReadingServer();
    const empty = gzipSync('');
    const start = Buffer.alloc(41 * kibibyte - ((41 * kibibyte) % empty.length), empty);
    const chunk = Buffer.concat([Buffer.from(`${start.length.toString(16)}\r\n`), start]);
    const fields = ['Content-Encoding: gzip', 'Transfer-Encoding: chunked'];
    const socket = await begin(server, { start: chunk, fields });
    const [refusal] = await once(socket, 'data');
    expect(String(refusal)).to.match(/^HTTP\/1\.1 413 /);
  });

  it('may start with a byte order mark', async () => {
    await using server = await createReadingServer();
    const response = await post(`http://127.0.0.1:${server.port}`, '\uFEFF"Week 3."');
    expect([response.status, await response.text()]).to.deep.equal([200, '7']);
  });

  it('fail immediately if the client disconnects before they are read', async () => {
    await using server = await createReadingServer({
      before: (request, _response, next) => void request.once('close', () => next()),
    });
    const socket = await begin(server, { start: '"', fields: declared(40 * kibibyte) });
    socket.destroy();
    expect(await eventually(() => server.errors[0])).to.include({ code: 'INVALID_JSON' });
  });

  it('are discarded after a refusal, so that the connection can be used again', async () => {
    const maxBodyBytes = 200 * kibibyte;
    await using server = await createReadingServer({ maxBodyBytes, memoryBytes: maxBodyBytes });
    const start = gzipSync(string(maxBodyBytes + 2));
    const fields = ['Content-Encoding: gzip', ...declared(maxBodyBytes)];
    const socket = await begin(server, { start, fields });
    const [refusal] = await once(socket, 'data');
    expect(String(refusal)).to.match(/^HTTP\/1\.1 413 /);
    socket.write(Buffer.alloc(maxBodyBytes - start.length));
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect((await answerTo(socket)).status).to.equal(400);
  });
});

describe('a slow body', () => {
  let clock: Clock;
  beforeEach(() => {
    clock = install({ toFake: ['setInterval', 'clearInterval'], shouldClearNativeTimers: true });
  });
  afterEach(() => clock.uninstall());

  it('gets 408 and a closed connection if fewer than 10 KiB arrive in 10 s', async () => {
    await using server = await createReadingServer();
    const fields = declared(40 * kibibyte);
    const socket = await begin(server, { start: 'x'.repeat(10 * kibibyte), fields });
    clock.tick(10_000);
    socket.write('x'.repeat(10 * kibibyte - 1));
    await server.received(socket);
    clock.tick(10_000);
    const { status, valuesOf, body } = await answerTo(socket);
    expect([status, body]).to.deep.equal([408, 'The request took too long to arrive.\n']);
    expect([...valuesOf('connection'), ...valuesOf('x-request-id')]).to.deep.equal(['close', 'mine']);
  });

  for (const [defect, text, more] of [
    ['is small but decompresses to more than 10 KiB', string(36 * kibibyte), undefined],
    // Empty stored blocks of deflate.
    ['then decompresses to nothing', `"${randomBytes(12 * kibibyte).toString('base64')}`, [0, 0, 0, 0xff, 0xff]],
  ] as const) {
    it(`gets 408 if it ${defect}`, async () => {
      await using server = await createReadingServer();
      const start = gzipSync(text, { finishFlush: constants.Z_SYNC_FLUSH });
      const socket = await begin(server, { start, fields: ['Content-Encoding: gzip', ...declared(40 * kibibyte)] });
      await eventually(() => (server.bodies.usedBytes >= 12 * kibibyte ? true : undefined));
      if (more !== undefined) {
        clock.tick(10_000);
        socket.write(Buffer.concat(Array<Buffer>(2200).fill(Buffer.from(more))));
        await server.received(socket);
      }
      clock.tick(10_000);
      expect((await answerTo(socket)).status).to.equal(408);
    });
  }

  it('is read if 10 KiB arrive every 10 s', async () => {
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
