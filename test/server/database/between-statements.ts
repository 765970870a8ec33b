import type { Orm } from '../../../server/database/orm.ts';
import { eventually } from '../../support/eventually.ts';

/** Calls `after` with each statement that goes through `orm`, before the next one. */
export function betweenStatements(orm: Orm, after: (statement: string) => Promise<void>): void {
  const { driver } = orm;
  const execute = driver.execute.bind(driver);
  driver.execute = (async (...parameters: Parameters<typeof driver.execute>) => {
    const result = await execute(...parameters);
    await after(String(parameters[0]).replaceAll(/\s+/g, ' ').slice(0, 80));
    return result;
  }) as typeof driver.execute;
}

/** Resolves when each of the requests that are `underWay` waits for a lock of the database, or is over. */
export async function waitingOrOver(orm: Orm, underWay: { readonly size: number }): Promise<void> {
  await eventually(async () => {
    const [row] = await orm.em.fork().execute<{ waiting: number }[]>(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.waiting === underWay.size ? true : undefined;
  });
}
