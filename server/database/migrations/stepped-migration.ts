import { IndexMigration } from './index-migration.ts';

/** A statement that waits for a table keeps everybody waiting who comes after it. */
export const lockTimeoutMilliseconds = 2_000;

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
  protected async step(): Promise<unknown[]> {
    const statements = [`set local lock_timeout = ${lockTimeoutMilliseconds}`, ...this.getQueries()];
    this.reset();
    return this.driver.getConnection().transactional(async (transaction) => {
      let rows: unknown[] = [];
      for (const statement of statements) rows = await this.driver.execute(statement, [], 'all', transaction);
      return rows;
    });
  }
}
