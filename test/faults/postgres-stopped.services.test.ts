import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { refusal } from '../server/database/scenes.ts';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { type AppOnOwnPostgres, createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectStoredOnce, internal, outcomeOf, type TurnOutcome } from './turn-outcomes.ts';

type Person = Awaited<ReturnType<AppOnOwnPostgres['person']>>;

describe('While PostgreSQL is stopped', function () {
  this.timeout(180_000);

  const app = perSuite(() => createAppOnOwnPostgres());
  const avery = perSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    await app.operator.fork().execute('delete from conversations');
  });

  const untilReconnected = () =>
    eventually(() =>
      app.storage.database
        .ping()
        .then(() => true)
        .catch(() => undefined),
    );
  const untilNoneIsLate = () => eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));

  it('demo chat works, live chat and the session route fail with 500, not with 401, and no provider request is made', async () => {
    await app.postgres.stop();
    await refusal(app.storage.database.ping());
    expect(await (await app.demo(question())).text()).to.equal(defaultReply.text);
    app.provider.reset();
    const pendingTurn = app.live(avery, question());
    await eventually(() => app.databaseLines.find(({ msg }) => msg === 'database unavailable; turns wait up to 10 s'));
    // Ends the ten seconds for which the turn waits for the database.
    app.clock.advance(10_000);
    const response = await pendingTurn;
    expect([response.status, await response.text()]).to.deep.equal([500, internal]);
    expect(app.provider.requests).to.have.length(0);
    const session = await avery.browser.request('/auth/session');
    expect([session.status, await session.text()]).to.deep.equal([500, internal]);
    // The instance stays ready: otherwise a load balancer would remove it, and demo chat would be down too.
    expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);

    await app.postgres.start();
    await untilReconnected();
    expect(await (await app.live(avery, question())).text()).to.equal(defaultReply.text);
    expect((await avery.browser.request('/auth/session')).status).to.equal(200);
  });

  for (const [how, end] of [
    ['stopped', () => app.postgres.stop()],
    ['crashed', () => app.postgres.crash()],
  ] as const) {
    it(`a reply in flight when it is ${how} is streamed completely, and stored after the restart`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'Before, ' }, { wait: promise }, { text: 'after.' }] });
      const reply = await app.live(avery, question());
      await end();
      resolve();
      expect(await reply.text()).to.equal('Before, after.');
      await app.postgres.start();
      await untilNoneIsLate();
      expect(
        (await app.messages()).map(({ role, content, stop_reason }) => [role, content, stop_reason]),
      ).to.deep.equal([
        ['USER', 'Where do we start?', null],
        ['ASSISTANT', 'Before, after.', 'end_turn'],
      ]);
    });
  }

  it('stores each turn once or answers with an error across two restarts', async () => {
    const people = [
      avery,
      await app.person({ who: 'blake@example.com' }),
      await app.person({ provider: 'github', who: 'casey-example' }),
      await app.person({ provider: 'microsoft', who: 'drew@example.com' }),
    ];
    app.provider.answerWith(() => ({ steps: [{ text: 'One ' }, { wait: 5 }, { text: 'and two.' }] }));
    const turns: TurnOutcome[] = [];
    let stopped = false;

    /** Sends questions in sequence. After an error, waits until the database is available. */
    async function chat(person: Person) {
      while (!stopped) {
        const content = `Question ${turns.length}?`;
        const outcome = await outcomeOf(app.live(person, question(content)), content);
        turns.push(outcome);
        if (outcome.status !== 200) await untilReconnected();
      }
    }
    const count = (status: number) => turns.filter((outcome) => outcome.status === status).length;
    const untilCount = (status: number, minimum: number) =>
      eventually(() => (count(status) >= minimum ? true : undefined));

    const chats = people.map(chat);
    for (const end of [app.postgres.stop, app.postgres.crash]) {
      await untilCount(200, count(200) + 8);
      const minimumFailures = count(500) + people.length;
      await end();
      await eventually(() => {
        // The outage lasts longer than the ten seconds that turns wait.
        app.clock.advance(1_000);
        return count(500) >= minimumFailures ? true : undefined;
      });
      await app.postgres.start();
    }
    await untilCount(200, count(200) + 8);
    stopped = true;
    await Promise.all(chats);
    await untilNoneIsLate();
    expectStoredOnce(turns, await app.messages());
  });
});
