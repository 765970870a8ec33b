import { MikroORM } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { ormOptions } from '../../../../server/database/orm.ts';
import { IndexMigration, SteppedMigration } from '../../../../server/database/schema/migrations/steps.ts';
import { migrations, migratorOptions } from '../../../../server/database/schema/migrations.ts';

class PlainMigration extends Migration {
  override up(): void {
    this.addSql('alter table users add column later text');
  }
}

/** Locks the two tables one after the other, and backfills one. */
class TwoTablesMigration extends SteppedMigration {
  override async up(): Promise<void> {
    this.addSql('alter table conversations add column if not exists later text');
    await this.step();
    this.addSql('alter table chat_messages add column if not exists later text');
    await this.step();
    this.addSql(
      `select set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true)`,
    );
    this.addSql('update conversations set later = status where later is null');
    await this.step();
  }
}

class ActionIndexMigration extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex({ name: 'audit_events_action_index', table: 'audit_events', on: '(action)' });
  }
}

const later = [
  { name: '2999-01-01-plain', class: PlainMigration },
  { name: '2999-01-02-two-tables', class: TwoTablesMigration },
  { name: '2999-01-03-action-index', class: ActionIndexMigration },
];

export const laterMigrations: readonly string[] = later.map(({ name }) => name);

export const laterOrmOptions = {
  ...ormOptions(pino({ level: 'silent' })),
  migrations: migratorOptions([...migrations.migrationsList, ...later]),
};

export function openLaterOrm(clientUrl: string) {
  return MikroORM.init({ ...laterOrmOptions, driver: PostgreSqlDriver, clientUrl });
}
