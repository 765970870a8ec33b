import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { question } from '../support/test-app.ts';
import { createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { finishedTurn } from './finished-turns.ts';

describe('While a table is locked', function () {
  this.timeout(180_000);
  const app = perSuite(() => createAppOnOwnPostgres());
  const avery = perSuite(() => app.person());

  it('the database counts as available even if waiting turns use all connections', async () => {
    const turns: Promise<unknown>[] = [];
    const later: Promise<unknown>[] = [];
    await app.operator.fork().transactional(async (em) => {
      await em.execute('lock table chat_messages in access exclusive mode');
      for (let count = 0; count < 12; count += 1) turns.push(finishedTurn(app.live(avery, question()), 'a question'));
      await eventually(() => app.storage.database.pool.waiting > 0 || undefined);
      expect(await app.storage.database.ping()).to.deep.equal({});
      // Once the server has not responded for eleven seconds, only a response counts.
      const now = performance.now();
      const clock = install({ toFake: ['performance'] });
      clock.tick(now + 11_001);
      later.push(app.storage.database.ping());
      clock.uninstall();
    });
    expect(await later[0]).to.have.property('clockAheadSeconds');
    await Promise.all(turns);
    expect(await app.storage.database.ping()).to.have.property('clockAheadSeconds');
  });
});
