import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';

const forever = new Promise<never>(() => {});

describe('a client of', () => {
  // Nothing but the client's leaving ends what these wait for.
  const app = ofSuite(() => createTestApp({ limits: { live: 1000, demo: 1000 }, idleTimeoutMilliseconds: 600_000 }));
  const avery = ofSuite(() => app.person());
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
  const asked = ['USER', 'Where do we start?', null];

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

    it(`${route} chat who leaves before any text ends the provider's request, and no answer is stored`, async () => {
      app.provider.answerWith({ steps: [{ wait: forever }] });
      const leaving = new AbortController();
      const left = send(leaving.signal).catch(() => 'left');
      const sent = await app.provider.request(1);
      leaving.abort();
      expect(await left).to.equal('left');
      expect(await sent.ended).to.equal('left');
      await eventually(() => (app.streams.inFlight === 0 ? true : undefined));
      expect(await messages()).to.deep.equal(route === 'live' ? [asked] : []);
    });

    it(`${route} chat who leaves in mid-reply ends the provider's request, what came is stored, and others go on`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
      const other = await app.demo(question());
      const leaving = new AbortController();
      const reply = await send(leaving.signal);
      await reply.body?.getReader().read();
      leaving.abort();
      expect(await (await app.provider.request(2)).ended).to.equal('left');
      await eventually(() => (app.streams.inFlight === 1 ? true : undefined));
      expect(await messages()).to.deep.equal(route === 'live' ? [asked, ['ASSISTANT', 'Half, ', null]] : []);
      resolve();
      expect(await other.text()).to.equal('Half, whole.');
      app.provider.reset();
      expect(await (await app.demo(question())).text()).to.equal(defaultReply.text);
    });
  }
});
