import { MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { migrate } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations.ts';
import { ormOptions } from '../../../server/database/orm.ts';

/** Makes the schema of an old release: the migrations up to `last`, on a PostgreSQL server. */
export async function migrateUpTo(url: string, last: string): Promise<void> {
  const { migrationsList } = migrations;
  const count = migrationsList.findIndex(({ name }) => name === last) + 1;
  await using orm = await MikroORM.init({
    ...ormOptions(pino({ level: 'silent' })),
    migrations: { ...migrations, migrationsList: migrationsList.slice(0, count) },
    driver: PostgreSqlDriver,
    clientUrl: url,
  });
  await migrate(orm, { shared: true });
}
