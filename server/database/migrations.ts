import { InitialMigration } from './migrations/2026-11-21-initial.ts';
import { SessionsMigration } from './migrations/2026-11-21-sessions.ts';
import { TurnsMigration } from './migrations/2026-11-21-turns.ts';
import { BudgetsMigration } from './migrations/2026-11-22-budgets.ts';
import { PeopleMigration } from './migrations/2026-11-22-people.ts';
import type { Orm } from './orm.ts';

/** Plain SQL, in order, the same for both drivers. A published one is never changed: add another. */
export const migrations = {
  migrationsList: [
    { name: '2026-11-21-initial', class: InitialMigration },
    { name: '2026-11-21-turns', class: TurnsMigration },
    { name: '2026-11-21-sessions', class: SessionsMigration },
    { name: '2026-11-22-people', class: PeopleMigration },
    { name: '2026-11-22-budgets', class: BudgetsMigration },
  ],
  snapshot: false,
  tableName: 'schema_migrations',
};

/** Any number, the same in every instance. */
const migrationLock = 5_212_081;

/**
 * Brings the schema up to date. Several instances may start together on one PostgreSQL server: one migrates, the others
 * wait for it. The embedded database belongs to one process, and on its single connection the lock would wait for itself.
 */
export async function migrate(orm: Orm, { shared }: { shared: boolean }): Promise<void> {
  if (!shared) {
    await orm.migrator.up();
    return;
  }
  await orm.em.fork().transactional(async (em) => {
    const transaction = em.getTransactionContext();
    await em.execute('select pg_advisory_xact_lock(?)', [migrationLock]);
    await orm.migrator.up({ transaction });
  });
}
