import { MikroORM } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { ormOptions } from '../../../../server/database/orm.ts';
import { migrations, migratorOptions } from '../../../../server/database/schema/migrations.ts';

class UsersMigration extends Migration {
  override up(): void {
    this.addSql('alter table users add column later text');
  }
}

/** Backfills its column. */
class ConversationsMigration extends Migration {
  override up(): void {
    this.addSql('alter table conversations add column later text');
    this.addSql(
      `select set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true)`,
    );
    this.addSql('update conversations set later = status');
  }
}

const later = [
  { name: '2999-01-01-users', class: UsersMigration },
  { name: '2999-01-02-conversations', class: ConversationsMigration },
];

export const laterMigrations: readonly string[] = later.map(({ name }) => name);

export const laterOrmOptions = {
  ...ormOptions(pino({ level: 'silent' })),
  migrations: migratorOptions([...migrations.migrationsList, ...later]),
};

export function openLaterOrm(clientUrl: string) {
  return MikroORM.init({ ...laterOrmOptions, driver: PostgreSqlDriver, clientUrl });
}
