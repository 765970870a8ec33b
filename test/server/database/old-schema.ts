import { MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { migrate } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations.ts';
import { type Orm, ormOptions } from '../../../server/database/orm.ts';

/** As a release connects whose last migration is `last`, to a PostgreSQL server. */
export function openOldRelease(clientUrl: string, last: string): Promise<Orm> {
  const { migrationsList } = migrations;
  const count = migrationsList.findIndex(({ name }) => name === last) + 1;
  return MikroORM.init({
    ...ormOptions(pino({ level: 'silent' })),
    migrations: { ...migrations, migrationsList: migrationsList.slice(0, count) },
    driver: PostgreSqlDriver,
    clientUrl,
  });
}

/** Makes the schema of an old release: the migrations up to `last`, on a PostgreSQL server. */
export async function migrateUpTo(url: string, last: string): Promise<void> {
  await using orm = await openOldRelease(url, last);
  await migrate(orm, { shared: true });
}
