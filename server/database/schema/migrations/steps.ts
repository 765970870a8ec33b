import { Migration } from '@mikro-orm/migrations';
import { type AbstractSqlDriver, PostgreSqlDriver } from '@mikro-orm/postgresql';

type Index = {
  name: string;
  table: string;
  /** The text after `on table`, such as `(created_at, id)` or `using hash (request_id)`. */
  on: string;
};

type Pool = { connect(): Promise<{ query(statement: string): Promise<{ rows: unknown[] }>; release(): void }> };

/** How long a build waits for earlier transactions, such as a backup's, before the migration is retried. */
const lockTimeout = '1min';

/** A migration that creates indexes while the service is writing to the tables. */
export abstract class IndexMigration extends Migration {
  /** If the table can be in use, builds the index concurrently, which does not block writes. */
  protected async addIndex(index: Index): Promise<void> {
    const { name, table, on } = index;
    if (this.driver instanceof PostgreSqlDriver && (await this.mayBeInUse(table))) {
      await buildConcurrently(await this.driver.getConnection().getNativeClient(), index);
    } else this.addSql(`create index if not exists ${name} on ${table} ${on}`);
  }

  /** Returns false for an empty table, and for one that this transaction has locked, on which a concurrent build would deadlock. */
  private async mayBeInUse(table: string): Promise<boolean> {
    const rows = await this.execute(
      `select 1 where pg_relation_size(to_regclass(?)) > 0 and not exists (
         select from pg_locks where pid = pg_backend_pid() and relation = to_regclass(?) and mode = 'AccessExclusiveLock')`,
      [table, table],
    );
    return rows.length > 0;
  }
}

/** Uses its own connection, because a concurrent build cannot run in a transaction. */
async function buildConcurrently(pool: Pool, { name, table, on }: Index): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query(`set lock_timeout = '${lockTimeout}'`);
    // An interrupted build leaves an invalid index, which slows down writes and is never used.
    const invalid = await connection.query(
      `select 1 from pg_index where indexrelid = to_regclass('${name}') and not indisvalid`,
    );
    if (invalid.rows.length > 0) await connection.query(`drop index concurrently ${name}`);
    await connection.query(`create index concurrently if not exists ${name} on ${table} ${on}`);
  } finally {
    await connection.query('reset lock_timeout').finally(() => connection.release());
  }
}

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

/** Runs the statements in a separate transaction, even within another one, and returns the rows of the last statement. */
export function runStep(
  driver: AbstractSqlDriver,
  statements: Parameters<AbstractSqlDriver['execute']>[0][],
): Promise<unknown[]> {
  return driver.getConnection().transactional(async (transaction) => {
    let rows: unknown[] = [];
    for (const statement of [beginStep, ...statements]) {
      rows = await driver.execute(statement, [], 'all', transaction);
    }
    return rows;
  });
}

/**
 * A migration that alters several tables in use. Each step is a transaction and locks one table, which prevents deadlocks with
 * requests that lock several. If a step fails, the migration restarts from the first step, so each statement must be
 * idempotent.
 */
export abstract class SteppedMigration extends IndexMigration {
  override isTransactional(): boolean {
    return false;
  }

  /** Runs the statements added since the last step and returns the rows of the last one. */
  protected step(): Promise<unknown[]> {
    const statements = [...this.getQueries()];
    this.reset();
    return runStep(this.driver, statements);
  }
}
