import type { Server } from 'node:http';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createLogger } from '../../../server/http/logger.ts';
import { assignContext } from '../../../server/http/request-context.ts';
import { createTextReply } from '../../../server/http/text-reply.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp, question } from '../../support/test-app.ts';

/**
 * Posts `body` as JSON over a connection whose client reads the first write and nothing more; a real network is less
 * exact. `unsentBytes` is what the server buffers for it.
 */
function createSilentReader(server: Server, path: string, body: unknown, headers: Record<string, string> = {}) {
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
  server.emit('connection', Object.assign(connection, { remoteAddress: '127.0.0.1', setTimeout() {}, server }));
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

const piece = 'x'.repeat(1024);

function createResponse() {
  const request = new IncomingMessage(new Socket());
  return assignContext(request, new ServerResponse(request), createLogger({ level: 'silent' }));
}

describe('a text reply', () => {
  it('is not open if the client has disconnected or a response has been sent', () => {
    const disconnected = createResponse();
    disconnected.destroy();
    expect(createTextReply(disconnected, {}).isOpen).to.equal(false);
    const answered = createResponse();
    answered.end('an error');
    const reply = createTextReply(answered, {});
    expect(reply.isOpen).to.equal(false);
    expect(reply.write('more')).to.equal(undefined);
    expect(createTextReply(createResponse(), {}).isOpen).to.equal(true);
  });
});

describe('the stall timeout of a text reply', () => {
  const nextRound = () => new Promise((resolve) => setImmediate(resolve));
  let clock: Clock;

  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
  });
  afterEach(() => clock.uninstall());

  /** A reply on a connection that accepts one more write each time `read` is called. */
  function createReply() {
    const reads: (() => void)[] = [];
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => void reads.push(done) });
    const response = createResponse();
    const connect = () => response.assignSocket(socket as Socket);
    return { response, reply: createTextReply(response, {}), connect, read: () => reads.shift()?.() };
  }

  it('disconnects the client after a minute, even while more text is written', async () => {
    const { response, reply, connect } = createReply();
    connect();
    reply.write('one');
    await nextRound();
    clock.tick(59_999);
    reply.write('two');
    expect(response.destroyed).to.equal(false);
    clock.tick(1);
    expect(response.destroyed).to.equal(true);
    await nextRound();
    expect(reply.interrupted.aborted).to.equal(true);
  });

  it('also applies after the end of the reply', async () => {
    const { response, reply, connect } = createReply();
    connect();
    reply.write('one');
    reply.end();
    await nextRound();
    clock.tick(60_000);
    expect(response.destroyed).to.equal(true);
  });

  it('restarts when the client reads a part of the reply', async () => {
    const { response, reply, connect, read } = createReply();
    connect();
    reply.write('one');
    await nextRound();
    reply.write('two');
    clock.tick(59_999);
    read();
    await nextRound();
    clock.tick(59_999);
    expect(response.destroyed).to.equal(false);
    clock.tick(1);
    expect(response.destroyed).to.equal(true);
  });

  it('does not run while the reply is queued behind a pipelined one, nor once everything has been read', async () => {
    const { response, reply, connect, read } = createReply();
    reply.write('one');
    clock.tick(90_000);
    connect();
    await nextRound();
    read();
    await nextRound();
    clock.tick(600_000);
    expect(response.destroyed).to.equal(false);
  });
});

describe('a client that stops reading', () => {
  let clock: Clock;

  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
  });
  afterEach(() => clock.uninstall());

  const app = perSuite(() => createTestApp({ idleTimeoutMilliseconds: 600_000 }));
  const avery = perSuite(() => app.person());

  for (const [route, send] of [
    ['demo', () => createSilentReader(app.server, '/api/chat/demo', question())],
    ['live', () => createSilentReader(app.server, '/api/chat', question(), { Cookie: avery.cookie })],
  ] as const) {
    it(`is disconnected from ${route} chat after a minute, with at most one write buffer in memory`, async () => {
      app.provider.reset();
      app.lines.length = 0;
      await app.storage.rows('delete from conversations');
      const pieces = Array.from({ length: 1_000 }, () => ({ text: piece }));
      app.provider.answerWith({ steps: [...pieces, { wait: new Promise(() => undefined) }] });
      const reader = send();
      await eventually(() => (reader.connection.writableNeedDrain ? true : undefined));
      expect(reader.unsentBytes).to.be.within(1, reader.connection.writableHighWaterMark + 2 * piece.length);

      clock.tick(60_000);
      expect(reader.connection.destroyed).to.equal(true);
      expect(reader.status).to.equal(200);
      expect(await app.provider.requests[0]?.ended).to.equal('disconnected');
      const line = await eventually(() => app.lines.find(({ msg }) => msg === 'request cut short'));
      expect(line).to.include({ ending: 'aborted' });
      if (route === 'demo') return;
      const [answer] = await app.storage.rows(`select * from chat_messages where role = 'ASSISTANT'`);
      expect(answer?.stop_reason).to.equal(null);
      expect(answer?.content).to.match(/^x+$/);
    });
  }
});
