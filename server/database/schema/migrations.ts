import type { MikroORM } from '@mikro-orm/core';
import { Migrator as BaseMigrator, type Migration, MigrationStorage } from '@mikro-orm/migrations';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { InitialMigration } from './migrations/2026-11-28-initial.ts';

/** The list of the applied migrations. The service's tables and functions are in the schema of this table. */
export const tableName = 'schema_migrations';

/**
 * The first statement of each transaction of a migration. The lock timeout is short, because all later statements on a table queue
 * behind one that waits for an exclusive lock on it. The limits of the database and of the login do not apply, because rewriting a
 * large table can take long. A schema that has come first in the login's search path since the first migration has no effect.
 */
export const beginStep = `select set_config(pg_settings.name, value, true)
  from pg_settings join (values
    ('lock_timeout', '2s'),
    ('statement_timeout', '0'),
    ('transaction_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'),
    ('search_path', (select relnamespace::regnamespace::text from pg_class where oid = to_regclass('${tableName}')))
  ) as needed (name, value) using (name)
  where value is not null`;

type Listed = {
  name: string;
  class: (new (...parameters: ConstructorParameters<typeof Migration>) => Migration) & { prototype: Migration };
};

/**
 * Plain SQL that works with both drivers. A released migration must not change its name or its effect. The previous release still
 * runs during an update, so everything that it needs remains until the next release.
 */
const list: Listed[] = [{ name: '2026-11-28-initial', class: InitialMigration }];

export const migrations = migratorOptions(list);

export function migratorOptions(listed: readonly Listed[]) {
  return {
    migrationsList: listed.map(withFirstStatement),
    // Uses a transaction per migration, so that one releases its locks before the next one waits for others.
    allOrNothing: false,
    snapshot: false,
    tableName,
  };
}

/** MikroORM's own storage looks for its table only in the schema `public`, where another application can have one of the same name. */
class StorageOnSearchPath extends MigrationStorage {
  #isEnsured = false;

  override async ensureTable(): Promise<void> {
    // Called again within the transaction of a migration, where another connection of the embedded database is not available.
    if (this.#isEnsured) return;
    await this.driver.execute(`do $$ begin
      if to_regclass('${tableName}') is null then
        create table ${tableName} (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
      end if;
    end $$`);
    this.#isEnsured = true;
  }
}

/** The ORM would add its own migrator to an extension of another name. */
export class Migrator extends BaseMigrator {
  static override register(orm: MikroORM): void {
    orm.config.registerExtension('@mikro-orm/migrator', () => new Migrator(orm.em as SqlEntityManager));
  }

  protected override createStorage(): MigrationStorage {
    return new StorageOnSearchPath(this.driver, this.options);
  }
}

function withFirstStatement({ name, class: Original }: Listed): Listed {
  class WithFirstStatement extends Original {
    override async up(): Promise<void> {
      await this.execute(beginStep);
      await Original.prototype.up.call(this);
    }
  }
  return { name, class: WithFirstStatement };
}
