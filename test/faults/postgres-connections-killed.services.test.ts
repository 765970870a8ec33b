import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectAccountedFor, type Told, toldBy } from './told.ts';

describe('when the connection of a turn is killed in the middle of its transaction', function () {
  this.timeout(180_000);

  const app = ofSuite(() => createAppOnOwnPostgres());
  const avery = ofSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    await app.operator.fork().execute('delete from conversations');
  });

  /** Holds up every transaction that writes a message for as long as `meanwhile` takes. */
  const whileWritesWait = (meanwhile: () => Promise<void>) =>
    app.operator.fork().transactional(async (em) => {
      await em.execute('lock table chat_messages in exclusive mode');
      await meanwhile();
    });

  /** Kills a connection whose transaction is held up, as soon as there is one. */
  const killOne = () =>
    eventually(async () => {
      const [killed] = await app.postgres.query(
        `select to_json(pg_terminate_backend(pid)) from pg_stat_activity where wait_event_type = 'Lock' limit 1`,
      );
      return killed;
    });

  it('at receipt, the question is stored once after all, and answered', async () => {
    let asked: Promise<Told> | undefined;
    await whileWritesWait(async () => {
      asked = toldBy(app.live(avery, question()), 'Where do we start?');
      await killOne();
      expect(app.provider.requests).to.have.length(0);
    });
    const told = await asked;
    expect(told?.text).to.equal(defaultReply.text);
    expect(app.provider.requests).to.have.length(1);
    expectAccountedFor(told === undefined ? [] : [told], await app.messages());
  });

  it('at the close, the person gets the whole reply, and it is stored once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
    const reply = await app.live(avery, question());
    const told = toldBy(Promise.resolve(reply), 'Where do we start?');
    await whileWritesWait(async () => {
      resolve();
      await killOne();
      await killOne();
      expect((await told).text).to.equal('Half, whole.');
    });
    await eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));
    expect(app.lines.map(({ msg }) => msg)).to.include('late write succeeded');
    expectAccountedFor([await told], await app.messages());
  });
});
