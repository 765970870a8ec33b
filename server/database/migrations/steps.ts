import { Migration } from '@mikro-orm/migrations';
import { type AbstractSqlDriver, PostgreSqlDriver } from '@mikro-orm/postgresql';

type Index = {
  name: string;
  table: string;
  /** What follows `on table`: `(created_at, id)`, `using hash (request_id)`. */
  on: string;
};

/** As much of `pg`'s pool as this needs. */
type Pool = { connect(): Promise<{ query(statement: string): Promise<{ rows: unknown[] }>; release(): void }> };

/** How long a build waits for transactions that began before it, such as a backup's. Then the migration fails and is tried again. */
const lockTimeout = '1min';

/** A migration that makes indexes while the service goes on writing to their tables. */
export abstract class IndexMigration extends Migration {
  /** Makes an index. Where its table may be in use, PostgreSQL builds it concurrently, which keeps nobody from writing. */
  protected async addIndex(index: Index): Promise<void> {
    const { name, table, on } = index;
    if (this.driver instanceof PostgreSqlDriver && (await this.mayBeInUse(table))) {
      await buildConcurrently(await this.driver.getConnection().getNativeClient(), index);
    } else this.addSql(`create index if not exists ${name} on ${table} ${on}`);
  }

  /** Not while it is empty, and not while this transaction has it to itself: a concurrent build would wait for that one. */
  private async mayBeInUse(table: string): Promise<boolean> {
    const rows = await this.execute(
      `select 1 where pg_relation_size(to_regclass(?)) > 0 and not exists (
         select from pg_locks where pid = pg_backend_pid() and relation = to_regclass(?) and mode = 'AccessExclusiveLock')`,
      [table, table],
    );
    return rows.length > 0;
  }
}

/** On a connection of its own: it cannot be done in the migration's transaction. */
async function buildConcurrently(pool: Pool, { name, table, on }: Index): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query(`set lock_timeout = '${lockTimeout}'`);
    // What a build leaves behind when it is cut short: nothing uses it, and every write keeps it up to date.
    const broken = await connection.query(
      `select 1 from pg_index where indexrelid = to_regclass('${name}') and not indisvalid`,
    );
    if (broken.rows.length > 0) await connection.query(`drop index concurrently ${name}`);
    await connection.query(`create index concurrently if not exists ${name} on ${table} ${on}`);
  } finally {
    await connection.query('reset lock_timeout').finally(() => connection.release());
  }
}

/** A statement that waits for a table keeps everybody waiting who comes after it. */
export const lockTimeoutMilliseconds = 2_000;

/** Runs statements in a transaction of their own, also within another one. Gives the rows of the last one. */
export function runStep(
  driver: AbstractSqlDriver,
  statements: Parameters<AbstractSqlDriver['execute']>[0][],
): Promise<unknown[]> {
  return driver.getConnection().transactional(async (transaction) => {
    let rows: unknown[] = [];
    for (const statement of [`set local lock_timeout = ${lockTimeoutMilliseconds}`, ...statements]) {
      rows = await driver.execute(statement, [], 'all', transaction);
    }
    return rows;
  });
}

/**
 * A migration that alters several tables which serve. Each step is a transaction and takes one of them: a request that waits
 * for one table and holds another would otherwise wait for the migration, and the migration for it. When a step fails, the
 * migration begins anew, so each statement must allow to be run twice.
 */
export abstract class SteppedMigration extends IndexMigration {
  override isTransactional(): boolean {
    return false;
  }

  /** Runs what has been added since the last step. Gives the rows of its last statement. */
  protected step(): Promise<unknown[]> {
    const statements = [...this.getQueries()];
    this.reset();
    return runStep(this.driver, statements);
  }
}
