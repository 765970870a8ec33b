import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { estimateDemoTurn, estimateLiveTurn } from '../../../server/chat/token-use.ts';
import { eventually } from '../../support/eventually.ts';
import { perTest } from '../../support/per-suite.ts';
import { defaultReply, errorEvent, thinking } from '../../support/scripted-provider.ts';
import { type AppOptions, createTestApp, question, type TestApp } from '../../support/test-app.ts';
import { createTestDatabase } from '../../support/test-database.ts';

/** Usage that the provider reports for a complete reply: input, output, cache reads and cache writes. */
const reported = 101 + 12 + 30 + 40;
const daySeconds = 24 * 3600;
/** A day, plus the fifteen minutes for which uses are counted together. */
const demoWaitSeconds = daySeconds + 15 * 60;
const refusal = { refuse: { status: 400, type: 'invalid_request_error', message: 'prompt is too long' } };
const refusedSentence = (whose: string) => new RegExp(`^RATE_LIMITED: ${whose} daily token budget is used up\\. `);

describe('token budgets of live chat', () => {
  const storage = perTest(() => createTestDatabase());

  const appWith = (options: AppOptions) =>
    createTestApp({ shared: { storage }, lateAfterMilliseconds: 200, ...options });

  const uses = () => storage.rows('select tokens, settled from token_uses order by used_at');
  const advanceClock = (seconds: number) =>
    storage.rows(`update token_uses set used_at = used_at - ? * interval '1 second'`, [seconds]);
  const ask = async (app: TestApp, person: { cookie: string }) => {
    const response = await app.live(person, question());
    return { response, body: await response.text() };
  };
  const questions = async () => (await storage.rows(`select from chat_messages where role = 'USER'`)).length;

  it('count every token that the provider reports, including cached ones, and admit turns while the sum is below the budget', async () => {
    await using app = await appWith({ tokensPerDay: { user: reported + 1 } });
    const avery = await app.person();
    expect((await ask(app, avery)).body).to.equal(defaultReply.text);
    expect(await uses()).to.deep.equal([{ tokens: reported, settled: true }]);
    expect((await ask(app, avery)).body).to.equal(defaultReply.text);
    expect((await ask(app, avery)).response.status).to.equal(429);
  });

  it('refuse a turn with the time to wait, store nothing and send no request to the provider', async () => {
    await using app = await appWith({ tokensPerDay: { user: 1 } });
    const avery = await app.person();
    await ask(app, avery);
    const stored = async () => [await questions(), await storage.rows('select id from conversations'), await uses()];
    const before = await stored();
    const { response, body } = await ask(app, avery);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).to.be.within(daySeconds - 60, daySeconds);
    expect(body).to.equal(`RATE_LIMITED: Your daily token budget is used up. Try again in ${seconds} seconds.`);
    expect(response.headers.get('x-conversation-id')).to.equal(null);
    expect(await stored()).to.deep.equal(before);
    expect(app.provider.requests).to.have.length(1);
    await eventually(() => app.lines.find(({ status, budget }) => status === 429 && budget === 'user'));
  });

  it('are separate for each user', async () => {
    await using app = await appWith({ tokensPerDay: { user: 1 } });
    const avery = await app.person();
    const casey = await app.person({ provider: 'github', who: 'casey-example' });
    await storage.administration.moveUser(casey.user.id, avery.user.organization.id);
    await ask(app, avery);
    expect((await ask(app, avery)).response.status).to.equal(429);
    expect((await ask(app, casey)).response.status).to.equal(200);
  });

  it('are shared by the users of an organization, and separate for each organization', async () => {
    await using app = await appWith({ tokensPerDay: { organization: reported } });
    const avery = await app.person();
    const casey = await app.person({ provider: 'github', who: 'casey-example' });
    await ask(app, avery);
    expect((await ask(app, casey)).response.status).to.equal(200);
    await storage.administration.moveUser(casey.user.id, avery.user.organization.id);
    const { response, body } = await ask(app, casey);
    expect(response.status).to.equal(429);
    expect(body).to.match(refusedSentence("Your organization's"));
  });

  it('name the budget with the longer wait if both budgets are used up', async () => {
    await using app = await appWith({ tokensPerDay: { user: reported, organization: 2 * reported } });
    const avery = await app.person();
    await ask(app, avery);
    await advanceClock(3600);
    expect((await ask(app, avery)).body).to.match(refusedSentence('Your'));
    await storage.rows(`update token_uses set tokens = ?`, [3 * reported]);
    const casey = await app.person({ provider: 'github', who: 'casey-example' });
    await storage.administration.moveUser(casey.user.id, avery.user.organization.id);
    await storage.rows(`insert into token_uses values ('newer', ?, ?, ?, true, now())`, [
      avery.user.organization.id,
      casey.user.id,
      3 * reported,
    ]);
    const { response, body } = await ask(app, avery);
    expect(body).to.match(refusedSentence("Your organization's"));
    expect(Number(response.headers.get('retry-after'))).to.be.within(daySeconds - 60, daySeconds);
  });

  it('count a turn in flight as its estimated prompt plus max_tokens', async () => {
    await using app = await appWith({ tokensPerDay: { user: 1_000_000 } });
    const avery = await app.person();
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ ...defaultReply.answer, steps: [{ wait: promise }, { text: 'Late.' }] });
    const first = app.live(avery, question());
    await app.provider.request(1);
    const content = 'Where do we start?';
    const { reserved } = estimateLiveTurn([{ role: 'user', content }], content);
    const [inProgress] = await uses();
    expect(inProgress?.settled).to.equal(false);
    // The database adds the facts of the user.
    expect(inProgress?.tokens).to.be.within(reserved + 1, reserved + 200);
    resolve();
    await (await first).text();
    expect(await uses()).to.deep.equal([{ tokens: reported, settled: true }]);
  });

  for (const [how, fail] of [
    ['is refused by the provider', ({ provider }) => provider.answerWith(refusal)],
    [
      'fails before its request is sent',
      ({ model }) => {
        model.start = () => {
          throw new Error('thrown');
        };
      },
    ],
  ] as [string, (app: TestApp) => void][]) {
    it(`count only the stored question of a turn that ${how}`, async () => {
      await using app = await appWith({ tokensPerDay: { user: 1_000_000 } });
      fail(app);
      const messages = [
        { role: 'user', content: 'x'.repeat(4_000) },
        { role: 'assistant', content: 'y'.repeat(4_000) },
        { role: 'user', content: 'é'.repeat(200) },
      ];
      await (await app.live(await app.person(), { messages })).text();
      expect(await uses()).to.deep.equal([{ tokens: 100, settled: true }]);
    });
  }

  it('count the reported input and estimate the output, thinking included, when the client of a turn disconnects', async () => {
    await using app = await appWith({ tokensPerDay: { user: 1_000_000 } });
    const avery = await app.person();
    const wait = new Promise(() => undefined);
    const steps = [thinking('x'.repeat(16_400)), { text: 'x'.repeat(400) }, { wait }];
    app.provider.answerWith({ ...defaultReply.answer, steps });
    await (await app.live(avery, question())).body?.cancel();
    const settled = await eventually(async () => ((await uses())[0]?.settled ? await uses() : undefined));
    expect(settled).to.deep.equal([{ tokens: 101 + 30 + 40 + 4_100 + 100, settled: true }]);
  });

  it('count the estimated prompt of a turn that gets a 503 at shutdown while its question is being stored', async () => {
    const { turns } = storage.database;
    await using app = await appWith({
      tokensPerDay: { user: 1_000_000 },
      database: {
        ...storage.database,
        turns: {
          ...turns,
          async openWithinBudgets(...parameters) {
            const opened = await turns.openWithinBudgets(...parameters);
            app.graceEnded.abort();
            app.requests.failUnanswered(new AppError('UPSTREAM_OVERLOADED'));
            return opened;
          },
        },
      },
    });
    const { response } = await ask(app, await app.person());
    expect(response.status).to.equal(503);
    await app.requests.allFinished();
    const [use] = await uses();
    expect(use?.settled).to.equal(true);
    expect(Number(use?.tokens)).to.be.within(2_000, 3_000);
    expect(app.lines.at(-1)).to.deep.include({ status: 503, code: 'UPSTREAM_OVERLOADED', ending: 'aborted' });
    expect(app.provider.requests).to.have.length(0);
  });

  it('settle a turn without an answer once the database is back after an outage', async () => {
    let unavailable = true;
    const { turns } = storage.database;
    const settle: typeof turns.settle = (...parameters) =>
      unavailable ? Promise.reject(new Error('connection refused')) : turns.settle(...parameters);
    await using app = await appWith({
      tokensPerDay: { user: 1_000_000 },
      database: { ...storage.database, turns: { ...turns, settle } },
    });
    app.provider.answerWith({ ...defaultReply.answer, steps: [errorEvent('api_error')] });
    await ask(app, await app.person());
    expect((await uses())[0]?.settled).to.equal(false);
    unavailable = false;
    await app.lateWrites.drain(AbortSignal.timeout(10_000));
    expect(await uses()).to.deep.equal([{ tokens: Math.ceil('Where do we start?'.length / 4), settled: true }]);
  });
});

describe('the token budget of demo chat', () => {
  let app: TestApp;

  afterEach(() => app.close());

  const ask = async (address = '192.0.2.1') => {
    const response = await app.demo(question(), { 'X-Forwarded-For': address });
    return { response, body: await response.text() };
  };
  const remainingTokens = async () => app.demoBudget?.remaining();

  it('is shared by all visitors, and refuses a turn with a message for demo chat, without a request to the provider', async () => {
    app = await createTestApp({ tokensPerDay: { demo: reported + 1 }, clock: () => 0 });
    expect((await ask('192.0.2.1')).body).to.equal(defaultReply.text);
    expect((await ask('192.0.2.2')).body).to.equal(defaultReply.text);
    const { response, body } = await ask('192.0.2.3');
    expect(response.status).to.equal(429);
    expect(response.headers.get('retry-after')).to.equal(String(demoWaitSeconds));
    expect(body).to.equal("RATE_LIMITED: Demo chat's daily token budget is used up. Try again in 87300 seconds.");
    expect(app.provider.requests).to.have.length(2);
  });

  it('counts a turn in flight as its estimate, and a finished one as its usage', async () => {
    const budget = 20_000;
    app = await createTestApp({ tokensPerDay: { demo: budget } });
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ ...defaultReply.answer, steps: [{ wait: promise }, { text: 'Late.' }] });
    const first = ask();
    await app.provider.request(1);
    const asked = [{ role: 'user' as const, content: 'Where do we start?' }];
    expect(await remainingTokens()).to.equal(budget - estimateDemoTurn(asked).reserved);
    resolve();
    await first;
    expect(await remainingTokens()).to.equal(budget - reported);
  });

  it('does not count a turn that fails before its request is sent', async () => {
    app = await createTestApp({ tokensPerDay: { demo: reported } });
    app.model.start = () => {
      throw new Error('thrown');
    };
    expect((await ask()).response.status).to.equal(502);
    expect(await remainingTokens()).to.equal(reported);
  });
});
