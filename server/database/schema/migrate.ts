import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isLockConflict } from '../../postgres/sql-states.ts';
import type { EntityManager, Orm } from '../orm.ts';
import { areFunctionsOutdated, replaceFunctions } from './functions.ts';
import { tableName } from './migrations.ts';

/** The key of an advisory lock. */
const migrationLock = 5_212_081;

/** Between two attempts, requests that queued behind the first one have time to run. */
const defaultPauseMilliseconds = 5_000;

const lockPollMilliseconds = 250;

type Options = {
  /** Whether other processes can use the same database, because it is on a server. */
  shared: boolean;
  logger?: Logger;
  pauseMilliseconds?: number;
};

/**
 * Migrates the schema, even while other instances serve requests, and returns the names of the applied steps. If several
 * instances start on one PostgreSQL database, one migrates and the others wait. The embedded database belongs to one process
 * and has a single connection, on which the lock would deadlock.
 */
export async function migrate(orm: Orm, { shared, ...options }: Options): Promise<string[]> {
  if (!shared) return applyPending(orm, options);
  return orm.em.fork().transactional(async (em) => {
    await acquireMigrationLock(em, options.logger);
    return applyPending(orm, options);
  });
}

/**
 * Polls instead of waiting in a statement. Such a statement would block a concurrent index build of the other instance, which
 * waits for all earlier statements.
 */
async function acquireMigrationLock(em: EntityManager, logger: Logger | undefined): Promise<void> {
  // This transaction only holds the lock. The migrations run on other connections.
  await em.execute(`select set_config(name, '0', true) from pg_settings
    where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
  for (let attempts = 1; ; attempts += 1) {
    const [row] = await em.execute<{ acquired: boolean }[]>('select pg_try_advisory_xact_lock(?) as acquired', [
      migrationLock,
    ]);
    if (row?.acquired === true) return;
    if (attempts === 1) logger?.info('waiting for another instance to finish its migration');
    await delay(lockPollMilliseconds);
  }
}

/** The step that creates or replaces the functions, after all migrations. */
const functionsStep = 'functions';

/**
 * Returns the pending steps, in order. Read-only, unlike the ORM's migrator, which creates its table if it does not exist.
 * @throws Error if the first migration of the database is not the first one of this release. Unknown later migrations are
 * accepted, because this release also works with the schema of the next one.
 */
export async function findPendingSteps(orm: Orm): Promise<string[]> {
  const em = orm.em.fork();
  const names = (orm.config.get('migrations').migrationsList ?? []).map(({ name }) => name);
  const applied = await findApplied(em);
  const [[first], [appliedFirst]] = [names, applied];
  if (appliedFirst !== undefined && appliedFirst !== first) {
    throw new Error(
      `The first migration of this database is ${appliedFirst} instead of ${first}; use an empty database, or one that was created by release 1.0.0 or later.`,
    );
  }
  const pending = names.filter((name) => !applied.includes(name));
  return (await areFunctionsOutdated(em)) ? [...pending, functionsStep] : pending;
}

async function findApplied(em: EntityManager): Promise<string[]> {
  // Other applications have a table of the same name without this column.
  const columns = await em.execute(`select 1 from pg_attribute where attrelid = to_regclass(?) and attname = 'name'`, [
    tableName,
  ]);
  if (columns.length === 0) return [];
  const rows = await em.execute<{ name: string }[]>(`select name from ${tableName} order by id`);
  return rows.map(({ name }) => name);
}

async function applyPending(orm: Orm, options: Omit<Options, 'shared'>): Promise<string[]> {
  const names = await findPendingSteps(orm);
  for (const name of names) await applyStep(orm, name, options);
  return names;
}

/** Retries on lock conflicts, without a limit. */
async function applyStep(orm: Orm, name: string, options: Omit<Options, 'shared'>): Promise<void> {
  const { logger, pauseMilliseconds = defaultPauseMilliseconds } = options;
  for (let attempts = 1; ; attempts += 1) {
    try {
      if (name === functionsStep) await replaceFunctions(orm);
      else await orm.migrator.up(name);
      return;
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      logger?.warn({ migration: name, attempts }, 'table locked; retrying the migration');
      await delay(pauseMilliseconds);
    }
  }
}
