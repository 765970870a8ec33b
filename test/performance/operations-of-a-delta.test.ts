import { createHook } from 'node:async_hooks';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { ofSuite } from '../support/of-suite.ts';
import { createTestApp, question } from '../support/test-app.ts';

describe('a delta', () => {
  const app = ofSuite(() => createTestApp({ limits: { demo: 1000 } }));
  beforeEach(() => app.provider.reset());

  /** Counts what is handed to the operating system over the connections that are opened from now on. */
  function countWrites(): () => number {
    let writes = 0;
    app.server.on('connection', (socket: Socket) => {
      for (const method of ['_write', '_writev'] as const) {
        const write: unknown = Reflect.get(socket, method);
        if (typeof write !== 'function') throw new Error(`A socket has no ${method}.`);
        Object.assign(socket, {
          [method](...parameters: unknown[]) {
            writes += 1;
            return Reflect.apply(write, socket, parameters);
          },
        });
      }
    });
    return () => writes;
  }

  it('is one write to the client’s connection, headers and framing included', async () => {
    const writes = countWrites();
    const count = 20;
    const arrivals = Array.from({ length: count }, () => Promise.withResolvers<void>());
    // None is sent before the one before it has arrived, so that no two can share a write by chance.
    app.provider.answerWith({
      steps: arrivals.flatMap(({ promise }, index) => [{ text: `delta ${index} ` }, { wait: promise }]),
    });
    let received = 0;
    await demo((text) => {
      received += text.match(/delta/g)?.length ?? 0;
      arrivals[received - 1]?.resolve();
    });
    expect(received).to.equal(count);
    expect(writes()).to.equal(count + 1);
  });

  it('makes no promise of its own where many come at once', async () => {
    await countPromises(100);
    const few = await countPromises(100);
    const many = await countPromises(1100);
    expect((many - few) / 1000).to.be.below(0.2);
  });

  /** The promises that are made in this process while a reply of so many deltas is asked for, sent in one piece and read. */
  async function countPromises(deltas: number): Promise<number> {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'delta ' } };
    const raw = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`.repeat(deltas);
    app.provider.answerWith({ steps: [{ raw }] });
    let promises = 0;
    const hook = createHook({
      init(_id, type) {
        if (type === 'PROMISE') promises += 1;
      },
    }).enable();
    let text = '';
    await demo((piece) => {
      text += piece;
    });
    hook.disable();
    expect(text).to.equal('delta '.repeat(deltas));
    return promises;
  }

  /** Asks demo chat without a promise of its own for what comes back. */
  function demo(onText: (text: string) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json' };
      request(`${app.url}/api/chat/demo`, { method: 'POST', headers, agent: false }, (response) => {
        response.setEncoding('utf8').on('data', onText).on('end', resolve).on('error', reject);
      })
        .on('error', reject)
        .end(JSON.stringify(question()));
    });
  }
});
