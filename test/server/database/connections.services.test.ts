import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { EntityManager } from '../../../server/database/orm.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

/** Exceeds the size of the pool. */
const attempts = 12;

describe('connections terminated by the server', () => {
  let storage: TestDatabase;

  before(async () => {
    required(testDatabaseUrl);
    storage = await createTestDatabase();
  });
  after(() => storage.close());

  async function failInTransactions(work: (em: EntityManager) => Promise<unknown>, error: RegExp): Promise<void> {
    for (let count = 0; count < attempts; count += 1) {
      await storage.orm.em
        .fork()
        .transactional(work)
        .then(
          () => expect.fail('Expected the server to terminate the connection.'),
          ({ message }: Error) => expect(message).to.match(error),
        );
    }
  }

  const alive = () => storage.rows('select 1 as alive');

  it('are returned to the pool after any number of interrupted transactions', async () => {
    await failInTransactions((em) => em.execute('select pg_terminate_backend(pg_backend_pid())'), /terminat/);
    expect(await alive()).to.deep.equal([{ alive: 1 }]);
  });

  it('are returned to the pool after an interrupted commit', async () => {
    const interruptAtCommit = async (em: EntityManager) => {
      await em.execute('create temporary table cut_off (id int) on commit drop');
      await em.execute(`create function pg_temp.cut_off() returns trigger language plpgsql
        as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
      await em.execute(`create constraint trigger cut_off after insert on cut_off deferrable initially deferred
        for each row execute function pg_temp.cut_off()`);
      await em.execute('insert into cut_off values (1)');
    };
    await failInTransactions(interruptAtCommit, /terminat/);
    expect(await alive()).to.deep.equal([{ alive: 1 }]);
  });
});
