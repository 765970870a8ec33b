import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { areFunctionsOutdated, replaceFunctions, tableName } from './functions.ts';
import { steps } from './migrations.ts';
import type { EntityManager, Orm } from './orm.ts';

/** Any number, the same in every instance. */
const migrationLock = 5_212_081;

/** Between two attempts, so that those who waited are served. */
const defaultPauseMilliseconds = 5_000;

/** How often it is looked whether another instance is done. */
const turnMilliseconds = 250;

type Options = {
  /** Whether other processes use the same database: it is on a server. */
  shared: boolean;
  logger?: Logger;
  pauseMilliseconds?: number;
};

/**
 * Brings the schema up to date, while the service goes on, and gives the names of what was missing. Several
 * instances may start together on one PostgreSQL server: one migrates, the others wait for it. The embedded database
 * belongs to one process, and on its single connection the lock would wait for itself.
 */
export async function migrate(orm: Orm, { shared, ...options }: Options): Promise<string[]> {
  if (!shared) return migrateStepByStep(orm, options);
  return orm.em.fork().transactional(async (em) => {
    await takeMigrationLock(em, options.logger);
    return migrateStepByStep(orm, options);
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

/**
 * The names of what the schema lacks of this release, in order. Not by the migrator, which creates its table where that is
 * missing.
 */
export async function findPending(orm: Orm): Promise<string[]> {
  const em = orm.em.fork();
  const tables = await em.execute('select 1 where to_regclass(?) is not null', [tableName]);
  const rows = tables.length === 0 ? [] : await em.execute<{ name: string }[]>(`select name from ${tableName}`);
  const done = new Set(rows.map(({ name }) => name));
  if (!(await areFunctionsOutdated(em))) done.add('functions');
  return steps.filter((name) => !done.has(name));
}

async function migrateStepByStep(orm: Orm, options: Omit<Options, 'shared'>): Promise<string[]> {
  const names = await findPending(orm);
  for (const name of names) await take(orm, name, options);
  return names;
}

/** Tries until nothing that the step needs is in somebody else's hands for longer than its lock timeout. */
async function take(orm: Orm, name: string, options: Omit<Options, 'shared'>): Promise<void> {
  const { logger, pauseMilliseconds = defaultPauseMilliseconds } = options;
  for (let attempts = 1; ; attempts += 1) {
    try {
      if (name === 'functions') await replaceFunctions(orm);
      else await orm.migrator.up(name);
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
