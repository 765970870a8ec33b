import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

describe('lost connections', () => {
  let storage: TestDatabase;

  before(async () => {
    required(testDatabaseUrl);
    storage = await createTestDatabase();
  });
  after(() => storage.close());

  it('come back to the pool, however many transactions the server has cut off', async () => {
    const moreThanThePoolHas = 12;
    for (let count = 0; count < moreThanThePoolHas; count += 1) {
      const cutOff = storage.orm.em
        .fork()
        .transactional((em) => em.execute('select pg_terminate_backend(pg_backend_pid())'));
      await cutOff.then(
        () => expect.fail('The server was to cut this off.'),
        (error: Error) => expect(error.message).to.match(/terminat/),
      );
    }
    expect(await storage.rows('select 1 as alive')).to.deep.equal([{ alive: 1 }]);
  });
});
