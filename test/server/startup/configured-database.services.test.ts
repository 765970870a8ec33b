import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../server/config/config.ts';
import { openOrm } from '../../../server/database/orm.ts';
import { openConfiguredDatabase } from '../../../server/startup/configured-database.ts';
import { eventually } from '../../support/eventually.ts';
import { createEmptyDatabase } from '../database/schema/empty-database.ts';

const silent = pino({ level: 'silent' });

describe('openConfiguredDatabase, on a PostgreSQL server', () => {
  let opened: AsyncDisposableStack;
  let url: string;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    ({ url } = opened.use(await createEmptyDatabase()));
  });
  afterEach(() => opened.disposeAsync());

  /** Sends more requests than `expected`, then waits, because PostgreSQL reports a closed connection for a moment. */
  async function expectConnections(expected: number, variables: Record<string, string>): Promise<void> {
    const config = loadConfig({ DATABASE_URL: `${url}?application_name=serving`, ...variables });
    const database = await openConfiguredDatabase(config, opened, silent);
    await Promise.all(Array.from({ length: 20 }, () => database.ping()));
    const orm = await openOrm({ kind: 'postgresql', url }, silent);
    opened.defer(() => orm.close(true));
    const count = `select count(*)::int from pg_stat_activity
      where application_name = 'serving' and datname = current_database()`;
    await eventually(async () => {
      const [row] = await orm.em.fork().execute<{ count: number }[]>(count);
      return row?.count === expected ? true : undefined;
    });
  }

  it('opens at most ten connections by default', async () => {
    await expectConnections(10, {});
  });

  it('opens at most DATABASE_POOL connections, even if DATABASE_POOL is 1', async () => {
    await expectConnections(1, { DATABASE_POOL: '1' });
  });
});
