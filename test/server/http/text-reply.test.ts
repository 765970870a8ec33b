import type { Server } from 'node:http';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createLogger } from '../../../server/http/logger.ts';
import { assignContext } from '../../../server/http/request-context.ts';
import { createTextReply } from '../../../server/http/text-reply.ts';
import { eventually } from '../../support/eventually.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { createTestApp, question } from '../../support/test-app.ts';

/**
 * Posts `body` as JSON over a connection whose other end takes the first write and no more, as exactly as no real network
 * does: `waiting` is what the server holds for it. `stall` tells the server what a socket does: it made no progress within its timeout.
 */
function createSilentReader(server: Server, path: string, body: unknown, headers: Record<string, string> = {}) {
  let taken = '';
  const connection = new Duplex({
    // A whole reply is larger, on demo chat too.
    writableHighWaterMark: 8 * 1024,
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

const piece = 'x'.repeat(1024);

describe('a text reply', () => {
  function response() {
    const request = new IncomingMessage(new Socket());
    return assignContext(request, new ServerResponse(request), createLogger({ level: 'silent' }));
  }

  it('begun for a client who has left, or was answered otherwise, has nobody who waits for it', () => {
    const left = response();
    left.destroy();
    expect(createTextReply(left).left.aborted).to.equal(true);
    const answered = response();
    answered.end('an error');
    const reply = createTextReply(answered);
    expect(reply.left.aborted).to.equal(true);
    expect(reply.write('more')).to.equal(undefined);
    expect(createTextReply(response()).left.aborted).to.equal(false);
  });
});

describe('a reader who takes nothing', () => {
  const app = ofSuite(() => createTestApp({ idleTimeoutMilliseconds: 600_000 }));
  const avery = ofSuite(() => app.person());

  for (const [route, send] of [
    ['demo', () => createSilentReader(app.server, '/api/chat/demo', question())],
    ['live', () => createSilentReader(app.server, '/api/chat', question(), { Cookie: avery.cookie })],
  ] as const) {
    it(`of ${route} chat is cut off after a minute, and holds no more than one write buffer until then`, async () => {
      app.provider.reset();
      app.lines.length = 0;
      await app.storage.rows('delete from conversations');
      const pieces = Array.from({ length: 1_000 }, () => ({ text: piece }));
      app.provider.answerWith({ steps: [...pieces, { wait: new Promise(() => undefined) }] });
      const reader = send();
      await eventually(() => (reader.connection.writableNeedDrain ? true : undefined));
      expect(reader.timeoutMilliseconds).to.equal(60_000);
      expect(reader.waitingBytes).to.be.within(1, reader.connection.writableHighWaterMark + 2 * piece.length);

      reader.stall();
      expect(reader.connection.destroyed).to.equal(true);
      expect(reader.status).to.equal(200);
      expect(await app.provider.requests[0]?.ended).to.equal('left');
      const line = await eventually(() => app.lines.find(({ msg }) => msg === 'request cut short'));
      expect(line).to.include({ ending: 'aborted' });
      if (route === 'demo') return;
      const [answer] = await app.storage.rows(`select * from chat_messages where role = 'ASSISTANT'`);
      expect(answer?.stop_reason).to.equal(null);
      expect(answer?.content).to.match(/^x+$/);
    });
  }
});
