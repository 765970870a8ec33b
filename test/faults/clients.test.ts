import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';

const forever = new Promise<never>(() => {});

describe('A client that disconnects', () => {
  // The idle timeout is so long that only the client's disconnect can end a request to the provider.
  const app = perSuite(() => createTestApp({ limits: { live: 1000, demo: 1000 } }));
  const avery = perSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    await app.storage.rows('delete from conversations');
  });

  const messages = async () =>
    (await app.storage.rows('select * from chat_messages order by position')).map(({ role, content, stop_reason }) => [
      role,
      content,
      stop_reason,
    ]);
  const userRow = ['USER', 'Where do we start?', null];

  for (const [route, path] of [
    ['live', '/api/chat'],
    ['demo', '/api/chat/demo'],
  ] as const) {
    const send = (signal: AbortSignal) =>
      fetch(app.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Cookie: avery.cookie },
        body: JSON.stringify(question()),
        signal,
      });

    it(`from ${route} chat before any text aborts the provider request, and no answer is stored`, async () => {
      app.provider.answerWith({ steps: [{ wait: forever }] });
      const disconnect = new AbortController();
      const response = send(disconnect.signal).catch(() => 'aborted');
      const sent = await app.provider.request(1);
      disconnect.abort();
      expect(await response).to.equal('aborted');
      expect(await sent.ended).to.equal('disconnected');
      await eventually(() => (app.streams.inFlight === 0 ? true : undefined));
      expect(await messages()).to.deep.equal(route === 'live' ? [userRow] : []);
    });

    it(`from ${route} chat mid-reply aborts only its own provider request, and the partial answer is stored on live chat`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
      const other = await app.demo(question());
      const disconnect = new AbortController();
      const reply = await send(disconnect.signal);
      await reply.body?.getReader().read();
      disconnect.abort();
      expect(await (await app.provider.request(2)).ended).to.equal('disconnected');
      await eventually(() => (app.streams.inFlight === 1 ? true : undefined));
      expect(await messages()).to.deep.equal(route === 'live' ? [userRow, ['ASSISTANT', 'Half, ', null]] : []);
      resolve();
      expect(await other.text()).to.equal('Half, whole.');
      app.provider.reset();
      expect(await (await app.demo(question())).text()).to.equal(defaultReply.text);
    });
  }
});
