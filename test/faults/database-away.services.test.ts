import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { type AppOnOwnPostgres, createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectStoredOnce, type FinishedTurn, finishedTurn, internalErrorBody } from './finished-turns.ts';

type Person = Awaited<ReturnType<AppOnOwnPostgres['person']>>;

const questionText = 'Where do we start?';
const unavailableMessage = 'database unavailable; turns wait up to 10 s';

describe('While PostgreSQL is unavailable', function () {
  this.timeout(180_000);
  let people: Person[];
  const inProgress = new Set<ServerResponse>();

  const app = perSuite(() =>
    createAppOnOwnPostgres({ app: { maxStreams: 8, tokensPerDay: { user: 1_000_000, organization: 1_000_000 } } }),
  );
  const avery = perSuite(() => app.person());
  before(async () => {
    app.server.on('request', (_request, response) => {
      inProgress.add(response);
      response.once('close', () => inProgress.delete(response));
    });
    const blake = await app.person({ who: 'blake@example.com' });
    people = [avery, blake, await app.person({ provider: 'github', who: 'casey-example' })];
  });
  beforeEach(async () => {
    app.provider.reset();
    await app.operator.fork().execute('delete from conversations');
    await app.operator.fork().execute('delete from token_uses');
  });

  const ask = (person: Person, content = questionText) => finishedTurn(app.live(person, question(content)), content);
  /** Resolves once the outage has been logged and `count` requests are in progress. */
  const untilWaiting = (count: number) =>
    eventually(() =>
      app.databaseLines.at(-1)?.msg === unavailableMessage && inProgress.size === count ? true : undefined,
    );
  const countLogged = (message: string) => app.databaseLines.filter(({ msg }) => msg === message).length;
  const untilReconnected = () =>
    eventually(async () => ((await avery.browser.request('/auth/session')).status === 200 ? true : undefined));
  const untilNoneIsLate = () => eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));
  const reservations = async () => {
    const rows = await app.rows<{ settled: boolean }>('select settled from token_uses');
    return rows.map(({ settled }) => settled);
  };

  it('turns wait, and each turn is answered and stored exactly once after the recovery', async () => {
    await app.postgres.stop();
    const turns = [...people, ...people].map((person, index) => ask(person, `Question ${index}?`));
    await untilWaiting(6);
    expect(app.provider.requests).to.have.length(0);
    await app.postgres.start();
    const outcomes = await Promise.all(turns);
    expect(outcomes.map(({ status, text }) => [status, text])).to.deep.equal(
      outcomes.map(() => [200, defaultReply.text]),
    );
    expectStoredOnce(outcomes, await app.messages());
    expect(await reservations()).to.deep.equal(outcomes.map(() => true));
  });

  for (const [how, end] of [
    ['restarts', () => app.postgres.stop()],
    ['crashes and recovers', () => app.postgres.crash()],
  ] as const) {
    it(`no turn fails, and each turn is stored exactly once, if PostgreSQL ${how} three times`, async () => {
      app.provider.answerWith(() => ({ steps: [{ text: 'One ' }, { wait: 5 }, { text: 'and two.' }] }));
      const turns: FinishedTurn[] = [];
      let stopped = false;
      const chats = people.map(async (person) => {
        while (!stopped) turns.push(await ask(person, `Question ${turns.length}?`));
      });
      const untilMoreTurns = (count: number) => {
        const total = turns.length + count;
        return eventually(() => (turns.length >= total ? true : undefined));
      };
      for (let round = 0; round < 3; round += 1) {
        await untilMoreTurns(6);
        const before = countLogged(unavailableMessage);
        await end();
        await eventually(() => (countLogged(unavailableMessage) > before ? true : undefined));
        await app.postgres.start();
      }
      await untilMoreTurns(6);
      stopped = true;
      await Promise.all(chats);
      await untilNoneIsLate();
      expect(turns.filter(({ status }) => status !== 200)).to.deep.equal([]);
      expectStoredOnce(turns, await app.messages());
      expect((await reservations()).filter((isSettled) => !isSettled)).to.deep.equal([]);
    });
  }

  it('a waiting turn fails with 500 after ten seconds of outage, and later turns fail immediately', async () => {
    await app.postgres.stop();
    const early = ask(avery);
    await untilWaiting(1);
    app.clock.advance(10_000);
    expect(await early).to.include({ status: 500, text: internalErrorBody });
    // The database is still down and the clock stands still, so this turn cannot have waited.
    expect(await ask(avery)).to.include({ status: 500, text: internalErrorBody });
    expect(app.provider.requests).to.have.length(0);
    expect(app.streams.inFlight).to.equal(0);

    await app.postgres.start();
    await untilReconnected();
    const outcome = await ask(avery);
    expect(outcome.text).to.equal(defaultReply.text);
    expectStoredOnce([outcome], await app.messages());
  });

  it('demo chat works, the session route fails immediately, and the instance stays ready', async () => {
    await app.postgres.stop();
    expect(await (await app.demo(question())).text()).to.equal(defaultReply.text);
    const session = await avery.browser.request('/auth/session');
    expect([session.status, await session.text()]).to.deep.equal([500, internalErrorBody]);
    // Otherwise a load balancer would remove the instance, and demo chat would be down too.
    expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
    await app.postgres.start();
    await untilReconnected();
  });

  it('a reply in flight when PostgreSQL crashes is streamed completely, and stored after the restart', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Before, ' }, { wait: promise }, { text: 'after.' }] });
    const outcome = finishedTurn(app.live(avery, question()), questionText);
    await app.provider.request(1);
    await app.postgres.crash();
    resolve();
    expect((await outcome).text).to.equal('Before, after.');
    await app.postgres.start();
    await untilNoneIsLate();
    expectStoredOnce([await outcome], await app.messages());
  });
});
