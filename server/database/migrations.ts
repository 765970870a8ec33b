import { setTimeout as delay } from 'node:timers/promises';
import type { Migration } from '@mikro-orm/migrations';
import type { Logger } from 'pino';
import { InitialMigration } from './migrations/2026-11-21-initial.ts';
import { SessionsMigration } from './migrations/2026-11-21-sessions.ts';
import { TurnsMigration } from './migrations/2026-11-21-turns.ts';
import { BudgetsMigration } from './migrations/2026-11-22-budgets.ts';
import { PeopleMigration } from './migrations/2026-11-22-people.ts';
import { LockWaitsMigration } from './migrations/2026-11-23-lock-waits.ts';
import { OperatorsMigration } from './migrations/2026-11-23-operators.ts';
import { ReopenedTurnsMigration } from './migrations/2026-11-23-reopened-turns.ts';
import { GrowthMigration } from './migrations/2026-11-24-growth.ts';
import { RepeatedTurnsMigration } from './migrations/2026-11-24-repeated-turns.ts';
import type { EntityManager, Orm } from './orm.ts';

/** Plain SQL, in order, the same for both drivers. A published one is never changed: add another. */
export const migrations = {
  migrationsList: [
    { name: '2026-11-21-initial', class: InitialMigration },
    { name: '2026-11-21-turns', class: TurnsMigration },
    { name: '2026-11-21-sessions', class: SessionsMigration },
    { name: '2026-11-22-people', class: PeopleMigration },
    { name: '2026-11-22-budgets', class: BudgetsMigration },
    { name: '2026-11-23-reopened-turns', class: ReopenedTurnsMigration },
    { name: '2026-11-23-lock-waits', class: LockWaitsMigration },
    { name: '2026-11-23-operators', class: OperatorsMigration },
    { name: '2026-11-24-repeated-turns', class: RepeatedTurnsMigration },
    { name: '2026-11-24-growth', class: GrowthMigration },
  ].map(withLockTimeout),
  // Each in a transaction of its own: what one has locked is free again before the next one waits.
  allOrNothing: false,
  snapshot: false,
  tableName: 'schema_migrations',
};

/** Any number, the same in every instance. */
const migrationLock = 5_212_081;

/** A statement that waits for a table keeps everybody waiting who comes after it. */
const lockTimeoutMilliseconds = 2_000;

/** Between two attempts, so that those who waited are served. */
const defaultPauseMilliseconds = 5_000;

/** How often it is looked whether another instance is done. */
const turnMilliseconds = 250;

type Listed = {
  name: string;
  class: (new (...parameters: ConstructorParameters<typeof Migration>) => Migration) & { prototype: Migration };
};

function withLockTimeout({ name, class: Original }: Listed): Listed {
  class WithLockTimeout extends Original {
    override async up(): Promise<void> {
      if (this.isTransactional()) await this.execute(`set local lock_timeout = ${lockTimeoutMilliseconds}`);
      await Original.prototype.up.call(this);
    }
  }
  return { name, class: WithLockTimeout };
}

type Options = {
  /** Whether other processes use the same database: it is on a server. */
  shared: boolean;
  logger?: Logger;
  pauseMilliseconds?: number;
};

/**
 * Brings the schema up to date, while the service goes on, and gives the names of the migrations that were missing. Several
 * instances may start together on one PostgreSQL server: one migrates, the others wait for it. The embedded database
 * belongs to one process, and on its single connection the lock would wait for itself.
 */
export async function migrate(orm: Orm, { shared, ...options }: Options): Promise<string[]> {
  if (!shared) return migrateOneByOne(orm, options);
  return orm.em.fork().transactional(async (em) => {
    await takeMigrationLock(em, options.logger);
    return migrateOneByOne(orm, options);
  });
}

/**
 * Asks for the lock again and again. A statement that waits for it would be in the way of an index that the other instance
 * builds concurrently: such a build waits for every statement that began before it.
 */
async function takeMigrationLock(em: EntityManager, logger: Logger | undefined): Promise<void> {
  // This transaction only holds the lock. The migrations run beside it.
  await em.execute('set local idle_in_transaction_session_timeout = 0');
  for (let attempts = 1; ; attempts += 1) {
    const [row] = await em.execute<{ taken: boolean }[]>('select pg_try_advisory_xact_lock(?) as taken', [
      migrationLock,
    ]);
    if (row?.taken === true) return;
    if (attempts === 1) logger?.info('another instance migrates: this one waits for it');
    await delay(turnMilliseconds);
  }
}

async function migrateOneByOne(orm: Orm, options: Omit<Options, 'shared'>): Promise<string[]> {
  const names = (await orm.migrator.getPending()).map(({ name }) => name);
  for (const name of names) await migrateOne(orm, name, options);
  return names;
}

/** Tries until no table that the migration needs is in somebody else's hands for longer than its patience. */
async function migrateOne(orm: Orm, name: string, options: Omit<Options, 'shared'>): Promise<void> {
  const { logger, pauseMilliseconds = defaultPauseMilliseconds } = options;
  for (let attempts = 1; ; attempts += 1) {
    try {
      await orm.migrator.up(name);
      return;
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      logger?.warn({ migration: name, attempts }, 'a migration waits for a table that is in use, and is tried again');
      await delay(pauseMilliseconds);
    }
  }
}

/** SQLSTATEs: the lock timeout, and a deadlock that PostgreSQL has ended. */
const lockConflicts: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

function isLockConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && lockConflicts.has(error.code);
}
