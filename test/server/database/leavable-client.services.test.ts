import { expect } from 'chai';
import { describe, it } from 'mocha';
import { leavableClient, nativeClient } from '../../../server/database/client.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { refusal } from './scenes.ts';

/** As much of a pool as takes all its connections away. */
type Pool = {
  connect(): Promise<{ release(): void }>;
  options: { max: number };
  totalCount: number;
  idleCount: number;
};

describe('a statement of somebody who leaves while it waits for a connection', () => {
  it('is not sent, and its connection is there for the next', async () => {
    required(testDatabaseUrl);
    await using storage = await createTestDatabase();
    const native = await nativeClient(storage.orm);
    const pool = native as unknown as Pool;
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));

    const client = leavableClient(native);
    const reader = new AbortController();
    const waiting = refusal(client.query('create table sent ()', [], reader.signal));
    reader.abort(new Error('The reader has left.'));
    for (const connection of taken) connection.release();

    expect((await waiting).message).to.equal('The reader has left.');
    const { rows } = await client.query<{ sent: unknown }>(`select to_regclass('sent') as sent`, []);
    expect(rows).to.deep.equal([{ sent: null }]);
    expect(pool.idleCount).to.equal(pool.totalCount);
    expect(pool.totalCount).to.equal(pool.options.max);
  });
});
