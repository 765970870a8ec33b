import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { questionMark } from './marks.ts';
import { createGate } from './people/gate.ts';
import { createRecordingFetch } from './people/recording-fetch.ts';
import { createTurnSource } from './people/turn-source.ts';
import type { Attempt } from './records.ts';

describe('the fetch of a soak', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  async function record(answer: RequestListener) {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.close();
      server.closeAllConnections();
    });
    const attempts: Attempt[] = [];
    const gate = createGate();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = createRecordingFetch({ Cookie: 'me' }, { attempts, gate, millisecondsPerChunk: () => 0 });
    const body = JSON.stringify({ messages: [{ content: `${questionMark(7)} Why?` }], conversationId: 'mine' });
    const ask = (signal: AbortSignal | null = null) =>
      send(url, { method: 'POST', headers: { 'X-Request-Id': 'id' }, body, signal });
    return { attempts, gate, ask };
  }

  it('notes what was sent and all that came back', async () => {
    const { attempts, ask } = await record((request, response) => {
      response.setHeader('X-Request-Id', request.headers['x-request-id'] ?? '');
      response.setHeader('Retry-After', request.headers.cookie === 'me' ? '9' : '0');
      response.writeHead(429).end('RATE_LIMITED: é');
    });
    expect(await (await ask()).text()).to.equal('RATE_LIMITED: é');
    expect(attempts).to.have.length(1);
    expect(attempts[0]).to.deep.include({
      turn: 7,
      requestId: 'id',
      askedConversationId: 'mine',
      ending: 'whole',
      status: 429,
      headers: { requestId: 'id', conversationId: null, promptVersion: null },
      retryAfterSeconds: 9,
      body: 'RATE_LIMITED: é',
    });
  });

  it('tells a connection that was cut from one that its client left', async () => {
    const cut = await record((_request, response) => {
      response.write('some');
      setImmediate(() => response.destroy());
    });
    await (await cut.ask()).text().catch(() => undefined);
    expect(cut.attempts[0]).to.include({ ending: 'cut', status: 200, body: 'some' });

    const left = await record((_request, response) => void response.write('some'));
    const leaving = new AbortController();
    const response = await left.ask(leaving.signal);
    const read = response.text().catch(() => undefined);
    await eventually(() => (left.attempts[0]?.body === 'some' ? true : undefined));
    leaving.abort();
    await read;
    expect(left.attempts[0]).to.include({ ending: 'left', body: 'some' });
  });

  it('holds requests back at a closed gate, which closes when the last answer is there', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { attempts, gate, ask } = await record(async (_request, response) => {
      await released;
      response.end('done');
    });
    const first = ask().then((response) => response.text());
    await eventually(() => attempts[0]);
    const closed = gate.close();
    const second = ask().then((response) => response.text());
    release();
    await Promise.all([first, closed]);
    expect(attempts.map(({ ending }) => ending)).to.deep.equal(['whole']);
    await gate.open();
    expect(await second).to.equal('done');
    expect(attempts.map(({ ending }) => ending)).to.deep.equal(['whole', 'whole']);
  });
});

describe('the turns of a soak', () => {
  it('are handed out once each, no further than they are allowed, and come to an end', async () => {
    const source = createTurnSource(5);
    const taken: (number | undefined)[] = [];
    const takers = Array.from({ length: 3 }, async () => {
      for (let turn = await source.next(); turn !== undefined; turn = await source.next()) taken.push(turn);
    });
    source.allow(2);
    await source.reached(2);
    expect(taken).to.deep.equal([1, 2]);
    source.allow(5);
    await Promise.all(takers);
    expect(taken).to.deep.equal([1, 2, 3, 4, 5]);
    expect(source.progress).to.equal(1);
  });
});
