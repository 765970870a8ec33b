import type { Socket } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { createTestApp, question } from '../support/test-app.ts';

describe('A streamed delta', () => {
  const app = perSuite(() => createTestApp());

  it("takes one write to the client's socket, including headers and framing", async () => {
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
    const arrivals = Array.from({ length: 20 }, () => Promise.withResolvers<void>());
    // Each delta is sent after the previous one has arrived, so that two deltas never share a write.
    app.provider.answerWith({
      steps: arrivals.flatMap(({ promise }, index) => [{ text: `delta ${index} ` }, { wait: promise }]),
    });
    const { body } = await app.demo(question());
    let received = 0;
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received += text.match(/delta/g)?.length ?? 0;
      arrivals[received - 1]?.resolve();
    }
    expect(received).to.equal(arrivals.length);
    expect(writes, 'one for each delta and one for the end').to.equal(arrivals.length + 1);
  });
});
