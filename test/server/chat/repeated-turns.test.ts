import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { defaultReply } from '../../support/scripted-provider.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

type Person = Awaited<ReturnType<TestApp['person']>>;

const busy = { refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } } as const;
const once = { 'X-Request-Id': 'once' };
const asked = 'USER Where do we start?';
const answered = `ASSISTANT ${defaultReply.text}`;

/** A reply that goes no further than `texts`. */
const stuckAfter = (...texts: string[]) => ({
  steps: [...texts.map((text) => ({ text })), { wait: new Promise<void>(() => {}) }],
});

describe('a turn that is sent again with its request id', () => {
  let app: TestApp;
  let other: TestApp;
  let avery: Person;

  beforeEach(async () => {
    app = await createTestApp({ replyWatchMilliseconds: 5, limits: { live: 10_000 }, tokensPerDay: { user: 10 ** 9 } });
    other = await createTestApp({ shared: { storage: app.storage }, limits: { live: 10_000 } });
    avery = await app.person();
  });
  afterEach(() => Promise.all([app.close(), other.close()]));

  const stored = async () => {
    const rows = await app.storage.rows('select role, content from chat_messages order by position');
    return rows.map(({ role, content }) => `${role} ${content}`);
  };
  const conversations = () => app.storage.rows('select id from conversations');
  const over = () => Promise.all([app.requests.over(), other.requests.over()]);

  /** Sends the turn to the first instance, and leaves it as soon as `reached` says so. */
  async function leave(reached: () => Promise<unknown>): Promise<void> {
    const client = new AbortController();
    const response = fetch(`${app.url}/api/chat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: avery.cookie, ...once },
      body: JSON.stringify(question()),
      signal: client.signal,
    });
    const left = response.then((answer) => answer.text()).catch(() => {});
    await reached();
    client.abort();
    await left;
  }

  /** A first attempt whose reader had the first half of the answer. */
  async function leaveHalf(): Promise<void> {
    app.provider.answerWith(stuckAfter('Half'));
    const reader = (await app.live(avery, question(), once)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await over();
  }

  it('goes on in its conversation without naming it, and stores the question once', async () => {
    app.provider.answerWith(busy);
    const failed = await app.live(avery, question(), once);
    expect(failed.status).to.equal(503);
    const again = await other.live(avery, question(), once);
    expect(await again.text()).to.equal(defaultReply.text);
    expect(again.headers.get('x-conversation-id')).to.equal(failed.headers.get('x-conversation-id'));
    expect(await stored()).to.deep.equal([asked, answered]);
  });

  for (const [what, conversationId] of [
    ['an id that is no conversation of theirs', 'c'.repeat(25)],
    ['no conversation', undefined],
  ] as const) {
    it(`is stored once where it names ${what} and comes eight times at once`, async () => {
      app.provider.answerWith(busy);
      const body = { ...question(), conversationId };
      const answers = await Promise.all(Array.from({ length: 8 }, () => app.live(avery, body, once)));
      expect(new Set(answers.map(({ headers }) => headers.get('x-conversation-id')))).to.have.length(1);
      expect(await stored()).to.deep.equal([asked]);
      expect(await conversations()).to.have.length(1);
    });
  }

  it('ends the first attempt, which another instance has under way, and stores its own answer alone', async () => {
    app.provider.answerWith(stuckAfter('The first'));
    const first = await app.live(avery, question(), once);
    const again = await other.live(avery, question(), once);
    expect(await first.text()).to.equal('The first\n\n[UPSTREAM_ERROR: The model could not finish the reply.]');
    expect(await app.provider.requests[0]?.ended).to.equal('left');
    expect(await again.text()).to.equal(defaultReply.text);
    await over();
    expect(await stored()).to.deep.equal([asked, answered]);
  });

  it('ends the first attempt at the same instance at once, whenever that looks next', async () => {
    await using slow = await createTestApp({ shared: { storage: app.storage }, replyWatchMilliseconds: 2 ** 31 - 1 });
    slow.provider.answerWith(stuckAfter());
    const first = slow.live(avery, question(), once);
    await slow.provider.request(1);
    slow.provider.answerWith({ steps: [{ text: 'The second.' }] });
    const again = slow.live(avery, question(), once);
    expect((await first).status).to.equal(502);
    // A provider that has fallen silent looks the same to its reader.
    expect(slow.lines.find(({ path }) => path === '/api/chat')).to.include({ ending: 'aborted' });
    expect(await (await again).text()).to.equal('The second.');
  });

  it('stores nothing of an attempt that ends after it was superseded', async () => {
    const rest = Promise.withResolvers<void>();
    await using unaware = await createTestApp({
      shared: { storage: app.storage },
      replyWatchMilliseconds: 2 ** 31 - 1,
    });
    unaware.provider.answerWith({ steps: [{ text: 'The first' }, { wait: rest.promise }, { text: ' answer.' }] });
    const first = await unaware.live(avery, question(), once);
    await (await other.live(avery, question(), once)).text();
    rest.resolve();
    expect(await first.text()).to.equal('The first answer.');
    expect(await stored()).to.deep.equal([asked, answered]);
  });

  it('counts both attempts against the budget, as far as they came', async () => {
    app.provider.answerWith(stuckAfter('The first'));
    const first = await app.live(avery, question(), once);
    app.provider.answerWith({ steps: [{ text: 'The second.' }] });
    await (await app.live(avery, question(), once)).text();
    await first.text();
    await over();
    const uses = await app.storage.rows('select settled from token_uses');
    expect(uses).to.deep.equal([{ settled: true }, { settled: true }]);
    expect(await stored()).to.deep.equal([asked, 'ASSISTANT The second.']);
  });

  it('replaces what was stored of an answer that was cut short', async () => {
    await leaveHalf();
    expect(await stored()).to.deep.equal([asked, 'ASSISTANT Half']);
    await (await other.live(avery, question(), once)).text();
    expect(await stored()).to.deep.equal([asked, answered]);
  });

  it('keeps what was stored of an answer where the repetition fails', async () => {
    await leaveHalf();
    other.provider.answerWith(busy);
    expect((await other.live(avery, question(), once)).status).to.equal(503);
    expect(await stored()).to.deep.equal([asked, 'ASSISTANT Half']);
  });

  it('is a new turn where the first has its whole answer', async () => {
    await (await app.live(avery, question(), once)).text();
    await (await app.live(avery, question(), once)).text();
    expect(await conversations()).to.have.length(2);
    expect(await stored()).to.deep.equal([asked, answered, asked, answered]);
  });

  const unlike: Record<string, () => Promise<unknown>> = {
    'with another question': () => app.live(avery, question('And then?'), once),
    'with another id': () => app.live(avery, question(), { 'X-Request-Id': 'twice' }),
    'of somebody else': async () =>
      app.live(await app.person({ provider: 'github', who: 'casey-example' }), question(), once),
    'of a colleague': async () => {
      const casey = await app.person({ provider: 'github', who: 'casey-example' });
      await app.storage.administration.moveUser(casey.user.id, avery.user.organization.id);
      return app.live(casey, question(), once);
    },
    'after ten minutes': async () => {
      await app.storage.rows("update chat_messages set created_at = created_at - interval '10 minutes'");
      return app.live(avery, question(), once);
    },
    'in another conversation of theirs that it names': async () => {
      const another = await other.live(avery, question('Another'), { 'X-Request-Id': 'another' });
      await another.text();
      const conversationId = another.headers.get('x-conversation-id');
      return app.live(avery, { ...question(), conversationId }, once);
    },
  };
  for (const [how, send] of Object.entries(unlike)) {
    it(`${how} is a turn of its own`, async () => {
      app.provider.answerWith(busy);
      await app.live(avery, question(), once);
      await send();
      expect(await conversations()).to.have.length(2);
    });
  }

  it('comes to one conversation, one question and one answer, whenever the first attempt was cut', async () => {
    const moment = fc.record({
      texts: fc.nat({ max: 3 }),
      /** The provider was reached, and so many turns of the event loop have passed since; or since it was sent. */
      reached: fc.boolean(),
      ticks: fc.nat({ max: 60 }),
    });
    await fc.assert(
      fc
        .asyncProperty(moment, async ({ texts, reached, ticks }) => {
          app.provider.reset();
          app.provider.answerWith(stuckAfter(...Array.from({ length: texts }, (_, index) => `${index} `)));
          await leave(async () => {
            if (reached) await app.provider.request(1);
            for (let tick = 0; tick < ticks; tick += 1) await nextTick();
          });
          await (await other.live(avery, question(), once)).text();
          await over();
          expect(await stored()).to.deep.equal([asked, answered]);
          expect(await conversations()).to.have.length(1);
        })
        .beforeEach(async () => {
          await app.storage.rows('delete from conversations');
        }),
      { numRuns: 60, seed: 1 },
    );
  });
});
