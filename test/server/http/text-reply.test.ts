import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createLogger } from '../../../server/http/logger.ts';
import { assignContext } from '../../../server/http/request-context.ts';
import { createStreamHandler, createTextReply, type TextReply } from '../../../server/http/text-reply.ts';
import { formatAppendedError } from '../../../shared/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { serveExpress } from '../../support/serve-express.ts';
import { createTestApp, question } from '../../support/test-app.ts';

const piece = 'x'.repeat(1024);

function createResponse() {
  const request = new IncomingMessage(new Socket());
  return assignContext(request, new ServerResponse(request), createLogger({ level: 'silent' }));
}

describe('a text reply', () => {
  function reasonsOf(reply: TextReply): string[] {
    const reasons: string[] = [];
    reply.onCutShort((reason) => reasons.push(reason));
    return reasons;
  }

  it('is not open if the client has disconnected or a response has been sent', () => {
    const disconnected = createResponse();
    disconnected.destroy();
    const cutShort = createTextReply(disconnected, {});
    expect(cutShort.isOpen).to.equal(false);
    expect(reasonsOf(cutShort)).to.deep.equal(['clientDisconnected']);
    const answered = createResponse();
    answered.end('an error');
    const reply = createTextReply(answered, {});
    expect(reply.isOpen).to.equal(false);
    expect(reply.write('more')).to.equal(undefined);
    const startedAt = performance.now();
    const open = createResponse();
    expect(createTextReply(open, {}).isOpen).to.equal(true);
    createTextReply(open, {}).write('text');
    expect(open.locals.context.logFields.firstTextMs).to.be.within(0, Math.ceil(performance.now() - startedAt));
  });

  for (const [events, expected] of [
    [['close'], ['clientDisconnected']],
    [
      ['stalled', 'close'],
      ['clientStalled', 'clientDisconnected'],
    ],
    [['end', 'close'], []],
  ] as const) {
    it(`reports ${expected.join(' and ') || 'no reason'} if its connection has the events ${events.join(' and ')}`, () => {
      const response = createResponse();
      const reply = createTextReply(response, {});
      const reasons = reasonsOf(reply);
      expect(reasons).to.deep.equal([]);
      for (const event of events) event === 'end' ? reply.end() : response.emit(event);
      expect(reasons).to.deep.equal(expected);
    });
  }
});

describe('createStreamHandler', () => {
  it('ends a reply with the error line if its handler fails after the first text', async () => {
    const fail = createStreamHandler({}, async (_request, _response, reply) => {
      await reply.write('Half, ');
      throw new Error('The handler failed.');
    });
    await using server = await serveExpress((app) => void app.get('/', fail));
    const response = await fetch(server.url);
    expect([response.status, await response.text()]).to.deep.equal([
      200,
      `Half, ${formatAppendedError('UPSTREAM_ERROR')}`,
    ]);
  });
});

/**
 * Posts `body` as JSON over a connection whose client reads the headers of the response and nothing more. It is simulated,
 * because a real network buffers an unpredictable number of bytes.
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
  const socket = { remoteAddress: '127.0.0.1', server, setTimeout: () => undefined };
  server.emit('connection', Object.assign(connection, socket));
  connection.push(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${payload}`);
  return connection;
}

describe('a client that stops reading', () => {
  const app = perSuite(() => createTestApp());
  const avery = perSuite(() => app.person());

  for (const [route, send] of [
    ['demo', () => createSilentReader(app.server, '/api/chat/demo', question())],
    ['live', () => createSilentReader(app.server, '/api/chat', question(), { Cookie: avery.cookie })],
  ] as const) {
    it(`is disconnected from ${route} chat by the timeout of its connection, with at most one write buffer in memory`, async () => {
      app.provider.reset();
      app.lines.length = 0;
      await app.storage.rows('delete from conversations');
      const pieces = Array.from({ length: 1_000 }, () => ({ text: piece }));
      app.provider.answerWith({ steps: [...pieces, { wait: new Promise(() => undefined) }] });
      const connection = send();
      await eventually(() => (connection.writableNeedDrain ? true : undefined));
      expect(connection.writableLength).to.be.within(1, connection.writableHighWaterMark + 2 * piece.length);

      connection.emit('timeout');
      expect(connection.destroyed).to.equal(true);
      expect(await app.provider.requests[0]?.ended).to.equal('disconnected');
      const line = await eventually(() => app.lines.find(({ msg }) => msg === 'request cut short'));
      expect(line).to.include({ status: 200, ending: 'aborted' }).and.not.have.property('code');
      if (route === 'demo') return;
      const [answer] = await app.storage.rows(`select * from chat_messages where role = 'ASSISTANT'`);
      expect(answer?.stop_reason).to.equal(null);
      expect(answer?.content).to.match(/^x+$/);
    });
  }
});
