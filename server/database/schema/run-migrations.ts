import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isLockConflict } from '../../postgres/sql-states.ts';
import type { EntityManager, Orm } from '../orm.ts';
import { areFunctionsOutdated, functionsStep } from './functions.ts';
import { beginStep, type Migration, migrations, stepsTable } from './migrations.ts';

/** The key of an advisory lock. */
const migrationLock = 5_212_081;

/** Between two attempts, requests that queued behind the first one have time to run. */
const defaultPauseMilliseconds = 5_000;

const lockPollMilliseconds = 250;

type Options = {
  /** Whether other processes can use the same database, because it is on a server. */
  isShared: boolean;
  logger?: Logger;
  pauseMilliseconds?: number;
  /** Defaults to the migrations of this release. */
  migrationList?: readonly Migration[];
};

type StepOptions = Omit<Options, 'isShared'>;

/**
 * Migrates the schema, even while other instances serve requests, and returns the names of the applied steps. If several
 * instances start on one PostgreSQL database, one migrates and the others wait. The embedded database belongs to one process
 * and has a single connection, on which the lock would deadlock.
 */
export async function migrate(orm: Orm, { isShared, ...options }: Options): Promise<string[]> {
  if (!isShared) return applyPendingSteps(orm, options);
  return orm.em.fork().transactional(async (em) => {
    await acquireMigrationLock(em, options.logger);
    return applyPendingSteps(orm, options);
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

/**
 * Returns the names of the pending steps, in order: of migrations, and of the functions. Read-only.
 * @throws Error if the first migration of the database is not the first one of this release. Unknown later migrations are
 * accepted, because this release also works with the schema of the next one.
 */
export async function findPendingSteps(orm: Orm): Promise<string[]> {
  return (await findPendingMigrations(orm, migrations)).map(({ name }) => name);
}

async function findPendingMigrations(orm: Orm, list: readonly Migration[]): Promise<Migration[]> {
  const em = orm.em.fork();
  const applied = await findAppliedNames(em);
  const [[first], [appliedFirst]] = [list, applied];
  if (appliedFirst !== undefined && appliedFirst !== first?.name) {
    throw new Error(
      `The first migration of this database is ${appliedFirst} instead of ${first?.name}; use an empty database, or one that was created by release 1.0.0 or later.`,
    );
  }
  const pending = list.filter(({ name }) => !applied.includes(name)).map(withRecord);
  return (await areFunctionsOutdated(em)) ? [...pending, functionsStep] : pending;
}

/** The table is looked for on the search path, because another application can have one of this name in another schema. */
const createTable = `do $$ begin
  if to_regclass('${stepsTable}') is null then
    create table ${stepsTable} (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
  end if;
end $$`;

function withRecord({ name, statements }: Migration): Migration {
  return { name, statements: [createTable, ...statements, `insert into ${stepsTable} (name) values ('${name}')`] };
}

async function findAppliedNames(em: EntityManager): Promise<string[]> {
  // Other applications have a table of the same name without this column.
  const columns = await em.execute(`select 1 from pg_attribute where attrelid = to_regclass(?) and attname = 'name'`, [
    stepsTable,
  ]);
  if (columns.length === 0) return [];
  const rows = await em.execute<{ name: string }[]>(`select name from ${stepsTable} order by id`);
  return rows.map(({ name }) => name);
}

async function applyPendingSteps(orm: Orm, { migrationList = migrations, ...options }: StepOptions): Promise<string[]> {
  const steps = await findPendingMigrations(orm, migrationList);
  for (const step of steps) await applyStep(orm, step, options);
  return steps.map(({ name }) => name);
}

/** Retries on lock conflicts, without a limit. */
async function applyStep(orm: Orm, { name, statements }: Migration, options: StepOptions): Promise<void> {
  const { logger, pauseMilliseconds = defaultPauseMilliseconds } = options;
  const { driver } = orm;
  for (let attempts = 1; ; attempts += 1) {
    try {
      // Uses a transaction per step, so that one releases its locks before the next one waits for others.
      await driver.getConnection().transactional(async (transaction) => {
        for (const statement of [beginStep, ...statements]) await driver.execute(statement, [], 'run', transaction);
      });
      return;
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      logger?.warn({ migration: name, attempts }, 'table locked; retrying the migration');
      await delay(pauseMilliseconds);
    }
  }
}
