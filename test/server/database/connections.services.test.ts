import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { EntityManager } from '../../../server/database/orm.ts';
import { perSuite } from '../../support/per-suite.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { refusal } from './scenes.ts';

/** Exceeds the size of the pool. */
const attempts = 12;

describe('connections terminated by the server', () => {
  const storage = perSuite(() => {
    required(testDatabaseUrl);
    return createTestDatabase();
  });

  const terminate = (em: EntityManager) => em.execute('select pg_terminate_backend(pg_backend_pid())');
  const terminateAtCommit = async (em: EntityManager) => {
    await em.execute('create temporary table cut_off (id int) on commit drop');
    await em.execute(`create function pg_temp.cut_off() returns trigger language plpgsql
      as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
    await em.execute(`create constraint trigger cut_off after insert on cut_off deferrable initially deferred
      for each row execute function pg_temp.cut_off()`);
    await em.execute('insert into cut_off values (1)');
  };
  for (const [when, work] of [
    ['during a transaction', terminate],
    ['during a commit', terminateAtCommit],
  ] as const) {
    it(`are returned to the pool if each of many is terminated ${when}`, async () => {
      for (let count = 0; count < attempts; count += 1) {
        expect((await refusal(storage.orm.em.fork().transactional<unknown>(work))).message).to.match(/terminat/);
      }
      expect(await storage.rows('select 1 as alive')).to.deep.equal([{ alive: 1 }]);
    });
  }
});
