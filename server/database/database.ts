import type { Logger } from 'pino';
import { readPostgresAddress } from '../postgres/address.ts';
import { createAdministration } from './administration.ts';
import { type AroundCall, nativeClient, tracedClient } from './client.ts';
import { createEngagements } from './engagements.ts';
import { compareClocks, findLogin } from './inspection.ts';
import { findPending, migrate } from './migrate.ts';
import {
  asOwner,
  type DatabaseSettings,
  type Orm,
  openOrm,
  type PostgreSqlSettings,
  requestLimits,
  withoutTimeLimit,
} from './orm.ts';
import { createOutage } from './outage.ts';
import { createPeople } from './people.ts';
import { createPrune } from './retention.ts';
import { explainMissingRole, grantServing, limitStatements } from './serving-login.ts';
import { createSessionStore, startPruningSessions } from './session-store.ts';
import { createTurns } from './turns.ts';

/**
 * Opens the database and gives the repositories on it. It brings the schema up to date first, unless `migrateAtStart` says
 * that this is done beforehand.
 * @throws Error that names the migrations that are missing then; a schema that is newer than this release will do
 */
export async function openDatabase(
  settings: DatabaseSettings,
  logger: Logger,
  { migrateAtStart = true, ...options }: { migrateAtStart?: boolean } & RepositoryOptions = {},
): Promise<Database> {
  if (migrateAtStart && settings.kind === 'postgresql') await migrateServer(settings, logger);
  const orm = await openOrm(settings, logger);
  try {
    if (!migrateAtStart) await requireMigrated(orm);
    else if (settings.kind === 'embedded') await migrate(orm, { shared: false });
    return await createDatabase(orm, logger, options);
  } catch (error) {
    await orm.close(true);
    throw error;
  }
}

/** What has been done to a schema: the names of the migrations, and the login that was granted what it needs to serve. */
export type Migrated = { applied: string[]; granted?: string };

/** Brings the schema up to date, and does nothing else. */
export async function migrateDatabase(settings: DatabaseSettings, logger: Logger): Promise<Migrated> {
  if (settings.kind === 'postgresql') return migrateServer(settings, logger);
  await using orm = await openOrm(settings, logger);
  return { applied: await migrate(orm, { shared: false }) };
}

/** Over a connection without time limits: a large table's migration, or another instance's, takes as long as it takes. */
async function migrateServer(settings: PostgreSqlSettings, logger: Logger): Promise<Migrated> {
  await using orm = await openOrm(asOwner(settings), logger, withoutTimeLimit);
  const [owner, serving] = [loginOf(settings.ownerUrl ?? settings.url), loginOf(settings.url)];
  const applied = await migrate(orm, { shared: true, logger }).catch(explainMissingRole(owner));
  if (serving === owner) return { applied };
  await grantServing(orm, serving).catch(explainMissingRole(serving));
  await using servingOrm = await openOrm(settings, logger, withoutTimeLimit);
  await limitStatements(servingOrm, requestLimits.statementMilliseconds);
  return { applied, granted: serving };
}

async function requireMigrated(orm: Orm): Promise<void> {
  const missing = await findPending(orm);
  if (missing.length === 0) return;
  throw new Error(`The schema is too old: it lacks ${missing.join(', ')}. Bring it up to date with npm run migrate.`);
}

async function requireOwner(orm: Orm): Promise<void> {
  const { name, ownsTables } = await findLogin(orm);
  if (ownsTables) return;
  throw new Error(
    `The login ${name} does not own the tables. The operator's commands need the login that does: set DATABASE_MIGRATION_URL.`,
  );
}

function loginOf(url: string): string {
  return readPostgresAddress(url).user;
}

/**
 * What the operator's commands do, over the owner's login. It changes no schema.
 * @throws Error that names the migrations that are missing, or says that the login is not the owner's
 */
export async function openAdministration(settings: DatabaseSettings, logger: Logger, operator: string) {
  const orm = await openOrm(asOwner(settings), logger, withoutTimeLimit);
  try {
    await requireMigrated(orm);
    await requireOwner(orm);
  } catch (error) {
    await orm.close(true);
    throw error;
  }
  return { administration: createAdministration(orm, operator), close: () => orm.close(true) };
}

/** The database that the operator's commands copy into, over the login of its owner. */
export function openTarget(url: string, logger: Logger): Promise<Orm> {
  return openOrm({ kind: 'postgresql', url, variable: 'The address of copy-to' }, logger, withoutTimeLimit);
}

type RepositoryOptions = {
  /** Runs each call of a request, for its trace. */
  aroundCall?: AroundCall | undefined;
  /** Counts an outage, in milliseconds. */
  clock?: () => number;
};

/** The repositories on a migrated database; `close` also closes the connection below them. */
export async function createDatabase(orm: Orm, logger: Logger, { aroundCall, clock }: RepositoryOptions = {}) {
  const native = await nativeClient(orm);
  const client = aroundCall === undefined ? native : tracedClient(native, aroundCall);
  const outage = createOutage({ logger, clock });
  const [reads, writes] = [outage.watch(client, { writes: false }), outage.watch(client, { writes: true })];
  const sessionStore = createSessionStore(reads);
  const stopPruningSessions = startPruningSessions(sessionStore, logger);
  return {
    people: createPeople(reads),
    turns: createTurns(writes),
    outage,
    engagements: createEngagements(orm),
    sessionStore,
    prune: createPrune(client),
    /** Gives by how many seconds this process' clock is ahead of the database's. Rejects if the database does not answer. */
    async ping(): Promise<number> {
      return (await compareClocks(orm)) / 1000;
    },
    /** Its connections, and the statements that wait for one. The embedded database has one, and a queue of its own. */
    get pool() {
      const { totalCount = 0, idleCount = 0, waitingCount = 0, options } = native;
      return { size: options?.max ?? 1, inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
    },
    async close(): Promise<void> {
      stopPruningSessions();
      await orm.close(true);
    },
  };
}

export type Database = Awaited<ReturnType<typeof createDatabase>>;
