import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp, question } from '../../support/test-app.ts';

/** Exceeds the windows of both limits. */
const nextWindowMilliseconds = 3_600_001;

describe('a chat request', () => {
  let now = 0;

  const app = perSuite(() => createTestApp({ limits: { live: 1, demo: 1 }, clock: () => now }));
  const avery = perSuite(() => app.person());
  beforeEach(() => {
    now += nextWindowMilliseconds;
    app.provider.reset();
  });

  const demo = (body: unknown = question(), headers?: Record<string, string>) => app.demo(body, headers);
  const live = (body: unknown = question(), headers?: Record<string, string>) => app.live(avery, body, headers);
  const drained = async (response: Response) => ({ status: response.status, body: await response.text() });

  describe('under the request limit', () => {
    /** Returns whether `refused` used up the one request that the limit admits. */
    async function counts(refused: Promise<Response>, status: number, ask: () => Promise<Response>): Promise<boolean> {
      expect((await drained(await refused)).status).to.equal(status);
      app.provider.reset();
      const next = await drained(await ask());
      now += nextWindowMilliseconds;
      return next.status === 429;
    }

    it('is not counted if it is refused with 401 or 403', async () => {
      const newcomer = await app.person({ provider: 'github', who: 'casey-example', onboarded: false });
      const onboarded = async () => {
        await app.person({ provider: 'github', who: 'casey-example' });
        return app.live(newcomer, question());
      };
      expect(await counts(live(question(), { Cookie: '' }), 401, live)).to.equal(false);
      expect(await counts(app.live(newcomer, question()), 403, onboarded)).to.equal(false);
      const elsewhere = { Origin: 'https://elsewhere.example.com' };
      expect(await counts(demo(question(), elsewhere), 403, demo)).to.equal(false);
      expect(await counts(live(question(), elsewhere), 403, live)).to.equal(false);
    });

    it('is not counted if it is refused with 503 for lack of a slot', async () => {
      await using small = await createTestApp({
        shared: { storage: app.storage },
        limits: { demo: 2, live: 2 },
        streams: { perUser: 1, demo: 1 },
      });
      for (const ask of [() => small.demo(question()), () => small.live(avery, question())]) {
        const held = Promise.withResolvers<void>();
        small.provider.answerWith({ steps: [{ text: 'Half' }, { wait: held.promise }] });
        const running = await ask();
        expect((await drained(await ask())).status).to.equal(503);
        held.resolve();
        await drained(running);
        expect((await drained(await ask())).status).to.equal(200);
        expect((await drained(await ask())).status).to.equal(429);
      }
    });

    it('is counted if it is refused with 400 or 413, or if the model fails', async () => {
      expect(await counts(demo('{'), 400, demo)).to.equal(true);
      expect(await counts(live({ messages: [] }), 400, live)).to.equal(true);
      expect(await counts(live({ messages: Array(2001).fill(null) }), 413, live)).to.equal(true);
      expect(await counts(demo(' '.repeat(1_048_577)), 413, demo)).to.equal(true);
      app.provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'Scripted.' } });
      expect(await counts(live(), 503, live)).to.equal(true);
    });
  });

  it('is stored with the first 128 characters of its request id, and only once if it is retried', async () => {
    const id = 'i'.repeat(8_000);
    app.provider.answerWith({ refuse: { status: 500, type: 'api_error', message: 'Scripted.' } });
    const failed = await live(question(), { 'X-Request-Id': id });
    expect(failed.headers.get('x-request-id')).to.equal(id);
    const conversationId = failed.headers.get('x-conversation-id');
    app.provider.reset();
    now += nextWindowMilliseconds;
    await drained(await live({ ...question(), conversationId }, { 'X-Request-Id': id }));
    const rows = await app.storage.rows(
      'select role, request_id from chat_messages where conversation_id = ? order by position',
      [conversationId],
    );
    const stored = id.slice(0, 128);
    expect(rows).to.deep.equal([
      { role: 'USER', request_id: stored },
      { role: 'ASSISTANT', request_id: stored },
    ]);
    const { messages } = await app.storage.administration.findRequest(id, 10);
    expect(messages.map(({ role }) => role)).to.deep.equal(['USER', 'ASSISTANT']);
  });

  it('is checked in this order: session, onboarding, limit, JSON, messages, budget', async () => {
    await using limited = await createTestApp({
      shared: { storage: app.storage },
      limits: { live: 4, demo: 4 },
      tokensPerDay: { user: 1, demo: 1 },
    });
    const newcomer = await limited.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
    const textOf = async (sent: Promise<Response>) => {
      const { status, body } = await drained(await sent);
      return `${status} ${body}`;
    };
    expect(await textOf(limited.live({ cookie: '' }, '{'))).to.match(/^401 UNAUTHENTICATED: /);
    expect(await textOf(limited.live(newcomer, '{'))).to.match(/^403 NOT_ONBOARDED: /);
    for (const ask of [(body: unknown) => limited.live(avery, body), (body: unknown) => limited.demo(body)]) {
      expect(await textOf(ask(question()))).to.match(/^200 /);
      expect(await textOf(ask('{'))).to.match(/^400 INVALID_JSON: /);
      expect(await textOf(ask({}))).to.match(/^400 MISSING_MESSAGES: /);
      expect(await textOf(ask(question()))).to.match(/^429 RATE_LIMITED: .* daily token budget is used up\. /);
      expect(await textOf(ask('{'))).to.match(/^429 RATE_LIMITED: Too many requests\. /);
    }
    expect(limited.provider.requests).to.have.length(2);
  });
});
