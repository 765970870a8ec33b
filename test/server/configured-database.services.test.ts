import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../server/config/config.ts';
import { openConfiguredDatabase } from '../../server/configured-database.ts';
import { openOrm } from '../../server/database/orm.ts';
import { createEmptyDatabase } from './database/empty-database.ts';

const silent = pino({ level: 'silent' });

describe('openConfiguredDatabase, on a PostgreSQL server', () => {
  let opened: AsyncDisposableStack;
  let url: string;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    ({ url } = opened.use(await createEmptyDatabase()));
  });
  afterEach(() => opened.disposeAsync());

  /** How many connections the service has after so many requests at once. */
  async function connections(variables: Record<string, string>): Promise<unknown> {
    const config = loadConfig({ DATABASE_URL: `${url}?application_name=serving`, ...variables });
    const database = await openConfiguredDatabase(config, opened, silent);
    await Promise.all(Array.from({ length: 20 }, () => database.ping()));
    const orm = await openOrm({ kind: 'postgresql', url }, silent);
    opened.defer(() => orm.close(true));
    const count = `select count(*)::int from pg_stat_activity
      where application_name = 'serving' and datname = current_database()`;
    return (await orm.em.fork().execute<{ count: number }[]>(count))[0]?.count;
  }

  it('has ten connections at the most', async () => {
    expect(await connections({})).to.equal(10);
  });

  it('has as many as DATABASE_POOL says, down to a single one', async () => {
    expect(await connections({ DATABASE_POOL: '1' })).to.equal(1);
  });
});
