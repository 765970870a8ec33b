import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { closing } from '../../support/closing.ts';
import { listen } from '../../support/loopback.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { createScriptedProvider, errorEvent } from '../../support/scripted-provider.ts';
import { ask, createTestModel } from './ask.ts';

const never = new Promise<never>(() => {});

describe('the end of a model reply', () => {
  const provider = ofSuite(() => createScriptedProvider());
  const model = ofSuite(() => createTestModel(provider.url));
  afterEach(() => provider.reset());

  describe('by the caller', () => {
    it('leaves a provider with whom there is no connection yet', async () => {
      const connected = Promise.withResolvers<Socket>();
      const mute = createTcpServer((socket) => connected.resolve(socket));
      await once(mute.listen(0, '127.0.0.1'), 'listening');
      const address = mute.address();
      const local = createTestModel(`https://127.0.0.1:${typeof address === 'object' ? address?.port : address}`);
      const leaving = new AbortController();
      const outcome = ask(local, { signal: leaving.signal });
      const socket = await connected.promise;
      leaving.abort();
      expect((await outcome).ending).to.equal('aborted');
      socket.destroy();
      mute.close();
      await local.close();
    });

    it('stops deltas that had arrived already', async () => {
      const leaving = new AbortController();
      const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One' } };
      provider.answerWith({ steps: [{ raw: `data: ${JSON.stringify(event)}\n\n`.repeat(2) }, { wait: never }] });
      const { deltas } = await ask(model, { onText: () => leaving.abort(), signal: leaving.signal });
      expect(deltas).to.deep.equal(['One']);
    });
  });

  describe('by silence', () => {
    const idleMilliseconds = 1_000;

    const patient = ofSuite(() => createTestModel(provider.url, idleMilliseconds));

    it('is put off by pings', async () => {
      const pings = Array.from({ length: 6 }, () => [
        { wait: idleMilliseconds / 4 },
        { event: { type: 'ping' } },
      ]).flat();
      provider.answerWith({ steps: [{ text: 'One' }, ...pings, { text: ' two' }] });
      const { ending, deltas } = await ask(patient);
      expect({ ending, deltas }).to.deep.equal({ ending: 'complete', deltas: ['One', ' two'] });
    });
  });

  describe('by the provider', () => {
    it('leaves a provider that goes on after it has reported an error', async () => {
      provider.answerWith({ steps: [errorEvent('overloaded_error'), { wait: never }] });
      expect((await ask(model)).error?.code).to.equal('UPSTREAM_OVERLOADED');
      expect(await (await provider.request(1)).ended).to.equal('left');
    });

    it('is a failure where an event never ends, which costs no more memory than sixteen megabytes', async () => {
      const megabyte = new Uint8Array(1024 * 1024).fill(120);
      function* endless() {
        for (;;) yield { raw: megabyte };
      }
      provider.answerWith({ steps: endless() });
      expect((await ask(model)).error?.code).to.equal('UPSTREAM_ERROR');
      expect(await (await provider.request(1)).ended).to.equal('left');
    });

    for (const [what, step] of [
      ['the connection then breaks', { cut: true }],
      ['the response does not end', { wait: never }],
    ] as const) {
      it(`is complete at message_stop, even where ${what}`, async () => {
        provider.answerWith({ steps: [{ text: 'One' }, { event: { type: 'message_stop' } }, step] });
        const { ending, deltas } = await ask(model);
        expect({ ending, deltas }).to.deep.equal({ ending: 'complete', deltas: ['One'] });
      });
    }

    it('leaves the connection to the next reply', async () => {
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
      // A connection is free one turn of the event loop after its response has ended.
      await new Promise((resolve) => setImmediate(resolve));
      await ask(local);
      expect(connections).to.equal(1);
    });
  });
});
