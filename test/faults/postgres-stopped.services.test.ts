import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { refusal } from '../server/database/scenes.ts';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { type AppOnOwnPostgres, createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectAccountedFor, internal, type Told, toldBy } from './told.ts';

type Person = Awaited<ReturnType<AppOnOwnPostgres['person']>>;

describe('while PostgreSQL is stopped', function () {
  this.timeout(180_000);

  const app = ofSuite(() => createAppOnOwnPostgres());
  const avery = ofSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    await app.operator.fork().execute('delete from conversations');
  });

  const back = () =>
    eventually(() =>
      app.storage.database
        .ping()
        .then(() => true)
        .catch(() => undefined),
    );
  const nothingLate = () => eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));

  it('demo chat answers, live chat fails before the provider is asked, and nobody is taken for signed out', async () => {
    await app.postgres.stop();
    await refusal(app.storage.database.ping());
    expect(await (await app.demo(question())).text()).to.equal(defaultReply.text);
    app.provider.reset();
    const asked = app.live(avery, question());
    await eventually(() => app.databaseLines.find(({ msg }) => msg === 'database unavailable; turns wait up to 10 s'));
    // For longer than a turn waits.
    app.clock.advance(10_000);
    const refused = await asked;
    expect([refused.status, await refused.text()]).to.deep.equal([500, internal]);
    expect(app.provider.requests).to.have.length(0);
    const session = await avery.browser.request('/auth/session');
    expect([session.status, await session.text()]).to.deep.equal([500, internal]);
    // A balancer would otherwise take out every instance, and demo chat with them.
    expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);

    await app.postgres.start();
    await back();
    expect(await (await app.live(avery, question())).text()).to.equal(defaultReply.text);
    expect((await avery.browser.request('/auth/session')).status).to.equal(200);
  });

  for (const [how, end] of [
    ['stopped', () => app.postgres.stop()],
    ['crashed', () => app.postgres.crash()],
  ] as const) {
    it(`a reply in whose middle it was ${how} does not notice, and is stored once it is back`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'Before, ' }, { wait: promise }, { text: 'after.' }] });
      const reply = await app.live(avery, question());
      await end();
      resolve();
      expect(await reply.text()).to.equal('Before, after.');
      await app.postgres.start();
      await nothingLate();
      expect(
        (await app.messages()).map(({ role, content, stop_reason }) => [role, content, stop_reason]),
      ).to.deep.equal([
        ['USER', 'Where do we start?', null],
        ['ASSISTANT', 'Before, after.', 'end_turn'],
      ]);
    });
  }

  it('and started again, twice, while people chat, each turn is stored or was answered with an error', async () => {
    const people = [
      avery,
      await app.person({ who: 'blake@example.com' }),
      await app.person({ provider: 'github', who: 'casey-example' }),
      await app.person({ provider: 'microsoft', who: 'drew@example.com' }),
    ];
    app.provider.answerWith(() => ({ steps: [{ text: 'One ' }, { wait: 5 }, { text: 'and two.' }] }));
    const turns: Told[] = [];
    let over = false;

    /** Asks one question after the other; after an error, when the database is back. */
    async function chat(person: Person) {
      while (!over) {
        const content = `Question ${turns.length}?`;
        const told = await toldBy(app.live(person, question(content)), content);
        turns.push(told);
        if (told.status !== 200) await back();
      }
    }
    const count = (status: number) => turns.filter((told) => told.status === status).length;
    const upTo = (status: number, enough: number) => eventually(() => (count(status) >= enough ? true : undefined));

    const chats = people.map(chat);
    for (const end of [app.postgres.stop, app.postgres.crash]) {
      await upTo(200, count(200) + 8);
      const everybodyHasFailed = count(500) + people.length;
      await end();
      await eventually(() => {
        // It is away for longer than they wait.
        app.clock.advance(1_000);
        return count(500) >= everybodyHasFailed ? true : undefined;
      });
      await app.postgres.start();
    }
    await upTo(200, count(200) + 8);
    over = true;
    await Promise.all(chats);
    await nothingLate();
    expectAccountedFor(turns, await app.messages());
  });
});
