import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectStoredOnce, type FinishedTurn, finishedTurn } from './finished-turns.ts';

describe('When the connection of a turn is killed during its transaction', function () {
  this.timeout(180_000);

  const app = perSuite(() => createAppOnOwnPostgres());
  const avery = perSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    await app.operator.fork().execute('delete from conversations');
  });

  /** Blocks every transaction that writes a message until `meanwhile` has resolved. */
  const whileWritesAreBlocked = (meanwhile: () => Promise<void>) =>
    app.operator.fork().transactional(async (em) => {
      await em.execute('lock table chat_messages in exclusive mode');
      await meanwhile();
    });

  /** Kills a connection whose transaction is blocked, as soon as there is one. */
  const killBlocked = () =>
    eventually(async () => {
      const [killed] = await app.postgres.query(
        `select to_json(pg_terminate_backend(pid)) from pg_stat_activity where wait_event_type = 'Lock' limit 1`,
      );
      return killed;
    });

  it('while the question is being stored, the question is still stored exactly once and answered', async () => {
    let pendingOutcome: Promise<FinishedTurn> | undefined;
    await whileWritesAreBlocked(async () => {
      pendingOutcome = finishedTurn(app.live(avery, question()), 'Where do we start?');
      await killBlocked();
      expect(app.provider.requests).to.have.length(0);
    });
    const outcome = await pendingOutcome;
    expect(outcome?.text).to.equal(defaultReply.text);
    expect(app.provider.requests).to.have.length(1);
    expectStoredOnce(outcome === undefined ? [] : [outcome], await app.messages());
  });

  it('while the answer is being stored, the reply is streamed completely and stored exactly once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
    const reply = await app.live(avery, question());
    const outcome = finishedTurn(Promise.resolve(reply), 'Where do we start?');
    await whileWritesAreBlocked(async () => {
      resolve();
      await killBlocked();
      await killBlocked();
      expect((await outcome).text).to.equal('Half, whole.');
    });
    await eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));
    expect(app.lines.map(({ msg }) => msg)).to.include('late write succeeded');
    expectStoredOnce([await outcome], await app.messages());
  });
});
