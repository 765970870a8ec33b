import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Client } from 'pg';
import { createPooledClient } from '../../../server/postgres/pooled-client.ts';

describe('a pooled client', () => {
  it('fails with the code of an aborted connection if it is closed while it connects', async () => {
    const connection = Promise.withResolvers<Client>();
    const PooledClient = createPooledClient(() => connection.promise);
    const client = new PooledClient({});
    const failed = new Promise((resolve) => client.connect(resolve));
    client.end();
    connection.resolve(new Client());
    expect(await failed).to.include({ code: 'ECONNABORTED' });
  });
});
