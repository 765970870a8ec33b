import { initialMigration } from './migrations/2026-11-28-initial.ts';

/**
 * Plain SQL that works with both drivers, in one transaction. A released migration must not change its name or its effect. The
 * previous release still runs during an update, so everything that it needs remains until the next release.
 */
export type Migration = { name: string; statements: readonly string[] };

export const migrations: readonly Migration[] = [initialMigration];

/** The list of the applied migrations. The service's tables and functions are in the schema of this table. */
export const stepsTable = 'schema_migrations';

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
    ('search_path', (select relnamespace::regnamespace::text from pg_class where oid = to_regclass('${stepsTable}')))
  ) as needed (name, value) using (name)
  where value is not null`;
