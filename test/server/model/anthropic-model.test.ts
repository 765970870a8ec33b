import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { isTimeout } from '../../../server/model/anthropic-model.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { proxyAuthorization, startForwardProxy } from '../../support/forward-proxy.ts';
import { listen } from '../../support/loopback.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createScriptedProvider, errorEvent } from '../../support/scripted-provider.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { ask, createTestModel, request } from './ask.ts';

const never = new Promise<never>(() => {});

/** An idle timeout that no test reaches. */
const longerThanTestMilliseconds = 600_000;

/** Fills the connection's buffers without adding to the reply. */
const largePing = { event: { type: 'ping', padding: 'x'.repeat(50_000) } };

/** Starts a server that accepts connections and sends nothing. A model waits for its connections when it is closed. */
async function startMuteServer() {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => void sockets.push(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return closing({
    host: `localhost:${(server.address() as AddressInfo).port}`,
    accepted: once(server, 'connection'),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
}

describe('a model reply', () => {
  const provider = perSuite(() => createScriptedProvider());
  const model = perSuite(() => createTestModel(provider.url));
  afterEach(() => provider.reset());

  it('does not mistake a slow client for a silent provider', async () => {
    await using patient = closing(createTestModel(provider.url, 500));
    provider.answerWith({ steps: [{ text: 'One' }, ...Array(40).fill(largePing), { text: ' two' }] });
    let slow = true;
    const onText = async () => {
      if (slow) await new Promise((resolve) => setTimeout(resolve, 1_000));
      slow = false;
    };
    const { ending, deltas } = await ask(patient, { onText });
    expect({ ending, deltas }).to.deep.equal({ ending: 'complete', deltas: ['One', ' two'] });
  });

  it('settles only after onText has settled, even if the reply was aborted', async () => {
    provider.answerWith({ steps: [{ text: 'One' }, { text: ' two' }, { wait: new Promise(() => {}) }] });
    const taken = Promise.withResolvers<void>();
    const leaving = new AbortController();
    const calls: string[] = [];
    const given = Promise.withResolvers<void>();
    const onText = () => {
      given.resolve();
      return taken.promise.then(() => void calls.push('taken'));
    };
    const outcome = ask(model, { onText, signal: leaving.signal }).finally(() => calls.push('over'));
    await given.promise;
    leaving.abort();
    expect(await (await provider.request(1)).ended).to.equal('disconnected');
    taken.resolve();
    const { ending, deltas } = await outcome;
    expect({ ending, deltas }).to.deep.equal({ ending: 'aborted', deltas: ['One'] });
    expect(calls).to.deep.equal(['taken', 'over']);
  });

  it('reports whether the provider sends anything, and how long the reply has waited for its first text', async () => {
    const [ping, text] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    provider.answerWith({
      steps: [{ wait: ping.promise }, { event: { type: 'ping' } }, { wait: text.promise }, { text: 'One' }],
    });
    const clock = install({ toFake: ['performance'] });
    await using watched = closing(createTestModel(provider.url));
    try {
      const outcome = ask(watched);
      await provider.request(1);
      clock.tick(20_000);
      expect(watched.provider.read()).to.include({ state: 'down', silentSeconds: 20 });
      expect(watched.provider.oldestWaitSeconds()).to.equal(20);
      ping.resolve();
      await eventually(() => watched.provider.read().state === 'unknown' || undefined);
      expect(watched.provider.oldestWaitSeconds()).to.equal(20);
      text.resolve();
      await outcome;
      expect([watched.provider.read().state, watched.provider.oldestWaitSeconds()]).to.deep.equal(['up', 0]);
      provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'busy' } });
      await ask(watched);
      expect(watched.provider.read()).to.include({ state: 'unknown', lastFailure: 'UPSTREAM_OVERLOADED' });
    } finally {
      clock.uninstall();
    }
  });

  it('leaves no connection open once the model is closed', async () => {
    await using network = closing(await createTcpProxy(provider.url));
    const other = createTestModel(network.url);
    await ask(other);
    await other.close();
    await eventually(() => (network.open === 0 ? true : undefined));
  });

  describe('through a proxy', () => {
    const proxy = perSuite(() => startForwardProxy(provider.url));
    afterEach(() => proxy.requests.splice(0));

    it('streams from an http:// address', async () => {
      await using local = closing(createTestModel('http://model.example.com', 10_000, proxy.url));
      const replies = await Promise.all([ask(local), ask(local)]);
      expect(replies.map(({ ending }) => ending)).to.deep.equal(['complete', 'complete']);
      expect(proxy.requests[0]).to.deep.equal({
        method: 'POST',
        target: 'http://model.example.com/v1/messages',
        authorization: proxyAuthorization,
      });
    });

    it('opens a tunnel to an https:// address', async () => {
      await using local = closing(createTestModel('https://model.example.com', 10_000, proxy.url));
      // The scripted provider does not speak TLS.
      expect((await ask(local)).ending).to.equal('failed');
      expect(proxy.requests).to.deep.equal([
        { method: 'CONNECT', target: 'model.example.com:443', authorization: proxyAuthorization },
      ]);
    });
  });

  describe('aborted by the caller', () => {
    it('closes the connection during the TLS handshake', async () => {
      await using mute = await startMuteServer();
      await using local = closing(createTestModel(`https://${mute.host}`));
      const leaving = new AbortController();
      const outcome = ask(local, { signal: leaving.signal });
      await mute.accepted;
      leaving.abort();
      expect((await outcome).ending).to.equal('aborted');
      mute.close();
    });

    it('before its start does not wait for a connection', async () => {
      await using mute = await startMuteServer();
      await using local = closing(createTestModel(`https://${mute.host}`, longerThanTestMilliseconds));
      const { ending, deltas } = await ask(local, { signal: AbortSignal.abort() });
      expect({ ending, deltas }).to.deep.equal({ ending: 'aborted', deltas: [] });
      mute.close();
    });

    it('does not emit deltas that had already arrived before the abort', async () => {
      const leaving = new AbortController();
      const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One' } };
      provider.answerWith({ steps: [{ raw: `data: ${JSON.stringify(event)}\n\n`.repeat(2) }, { wait: never }] });
      const { deltas } = await ask(model, { onText: () => leaving.abort(), signal: leaving.signal });
      expect(deltas).to.deep.equal(['One']);
    });

    it('has no stop reason, even if the provider has reported one', async () => {
      const leaving = new AbortController();
      const stated = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
      provider.answerWith({ steps: [{ event: stated }, { text: 'One' }, { wait: never }] });
      const { ending, stopReason } = await ask(model, { onText: () => leaving.abort(), signal: leaving.signal });
      expect({ ending, stopReason }).to.deep.equal({ ending: 'aborted', stopReason: null });
    });
  });

  it('does not time out while pings arrive', async () => {
    const idleMilliseconds = 1_000;
    await using patient = closing(createTestModel(provider.url, idleMilliseconds));
    const pings = Array.from({ length: 6 }, () => [{ wait: idleMilliseconds / 4 }, { event: { type: 'ping' } }]).flat();
    provider.answerWith({ steps: [{ text: 'One' }, ...pings, { text: ' two' }] });
    const { ending, deltas } = await ask(patient);
    expect({ ending, deltas }).to.deep.equal({ ending: 'complete', deltas: ['One', ' two'] });
  });

  it('reports a timeout if the provider, or the proxy to it, answers neither a request nor the handshake of https://', async () => {
    await using mute = await startMuteServer();
    for (const [baseUrl, proxy] of [
      [`http://${mute.host}`, undefined],
      [`https://${mute.host}`, undefined],
      ['http://model.example.com', `http://${mute.host}`],
      ['https://model.example.com', `http://${mute.host}`],
    ] as const) {
      await using impatient = closing(createTestModel(baseUrl, 100, proxy));
      const { ending, error } = await ask(impatient);
      expect([ending, error && isTimeout(error)], baseUrl).to.deep.equal(['failed', true]);
    }
  });

  describe('ended by the provider', () => {
    it('closes the connection after an error event even if the provider keeps it open', async () => {
      provider.answerWith({ steps: [errorEvent('overloaded_error'), { wait: never }] });
      expect((await ask(model)).error?.code).to.equal('UPSTREAM_OVERLOADED');
      expect(await (await provider.request(1)).ended).to.equal('disconnected');
    });

    it('fails if an event never ends', async () => {
      const megabyte = new Uint8Array(1024 * 1024).fill(120);
      function* endless() {
        for (;;) yield { raw: megabyte };
      }
      provider.answerWith({ steps: endless() });
      expect((await ask(model)).error?.code).to.equal('UPSTREAM_ERROR');
      expect(await (await provider.request(1)).ended).to.equal('disconnected');
    });

    it('fails and disconnects if the reply never ends', async () => {
      function* endless() {
        for (;;) yield { text: 'x'.repeat(1000) };
      }
      provider.answerWith({ steps: endless() });
      const { ending, error, deltas, streamedBytes } = await ask(model);
      expect([ending, error?.code]).to.deep.equal(['failed', 'UPSTREAM_ERROR']);
      expect(deltas.length).to.equal(Math.floor((16 * request.maxTokens) / 1000));
      expect(streamedBytes).to.equal((deltas.length + 1) * 1000);
      expect(await (await provider.request(1)).ended).to.equal('disconnected');
    });

    it('fails with the status of an error response whose body never ends', async () => {
      let isClosed = false;
      const server = createServer((_request, response) => {
        response.writeHead(529).on('close', () => {
          isClosed = true;
        });
        const write = () => {
          while (!isClosed && response.write('x'.repeat(100_000)));
        };
        response.on('drain', write);
        write();
      });
      await using listening = closing(await listen(server));
      await using local = closing(createTestModel(`http://127.0.0.1:${listening.port}`));
      expect((await ask(local)).error?.code).to.equal('UPSTREAM_OVERLOADED');
    });

    for (const [title, steps] of [
      ['another message starts within it', [{ event: { type: 'message_start', message: { id: 'msg_other' } } }]],
      ['text follows message_stop', [{ event: { type: 'message_stop' } }, { text: ' two' }]],
      [
        'another message follows message_stop',
        [{ event: { type: 'message_stop' } }, { event: { type: 'message_start', message: { id: 'msg_other' } } }],
      ],
    ] as const) {
      it(`fails if ${title}`, async () => {
        provider.answerWith({ steps: [{ text: 'One' }, ...steps] });
        const { ending, error, stopReason, deltas } = await ask(model);
        expect({ ending, code: error?.code, stopReason, deltas }).to.deep.equal({
          ending: 'failed',
          code: 'UPSTREAM_ERROR',
          stopReason: null,
          deltas: ['One'],
        });
      });
    }

    for (const [title, step] of [
      ['the connection then breaks', { cut: true }],
      ['the response does not end', { wait: never }],
    ] as const) {
      it(`is complete at message_stop, even if ${title}`, async () => {
        provider.answerWith({ steps: [{ text: 'One' }, { event: { type: 'message_stop' } }, step] });
        await using patient = closing(createTestModel(provider.url, longerThanTestMilliseconds));
        const { ending, deltas } = await ask(patient);
        expect({ ending, deltas }).to.deep.equal({ ending: 'complete', deltas: ['One'] });
      });
    }

    it('is complete at message_stop, even if the caller then aborts it', async () => {
      const leaving = new AbortController();
      // The half of a character is emitted as U+FFFD at message_stop.
      provider.answerWith({ steps: [{ text: 'One\uD83D' }, { event: { type: 'message_stop' } }, { wait: never }] });
      const onText = (delta: string) => {
        if (delta === '\uFFFD') leaving.abort();
      };
      const { ending, error } = await ask(model, { onText, signal: leaving.signal });
      expect([leaving.signal.aborted, ending, error]).to.deep.equal([true, 'complete', null]);
    });

    it('reuses the connection for the next reply', async () => {
      let connections = 0;
      const server = createServer((_request, response) => {
        response.write('data: {"type":"message_stop"}\n\n');
        setTimeout(() => response.end(), 20);
      }).on('connection', () => {
        connections += 1;
      });
      await using listening = closing(await listen(server));
      await using local = closing(createTestModel(`http://127.0.0.1:${listening.port}`));
      await ask(local);
      // A connection becomes free one turn of the event loop after its response has ended.
      await new Promise((resolve) => setImmediate(resolve));
      await ask(local);
      expect(connections).to.equal(1);
    });
  });
});
