import type { Logger } from 'pino';
import { readPostgresAddress } from '../postgres/postgres-address.ts';
import { getNativeClient, isPoolExhausted, type TraceCall, tracedClient } from './native-client.ts';
import { createAdministration } from './operators/administration.ts';
import {
  asOwner,
  type DatabaseSettings,
  noTimeLimit,
  type Orm,
  openOrm,
  type PostgreSqlSettings,
  requestTimeLimit,
} from './orm.ts';
import { compareClocks, findLogin, readSize } from './schema/inspection.ts';
import { findSchema, requireNoObstacles } from './schema/requirements.ts';
import { findPendingSteps, migrate } from './schema/run-migrations.ts';
import { explainMissingRole, grantServingPrivileges, setStatementTimeout } from './schema/serving-login.ts';
import { createEngagements } from './serving/engagements.ts';
import { createOutageDetector } from './serving/outage.ts';
import { pruneConversations } from './serving/retention.ts';
import { createSessionStore, startPruningSessions } from './serving/session-store.ts';
import { createTurns } from './serving/turns.ts';
import { createUsers } from './serving/users.ts';

/**
 * Opens the database and returns its repositories. Migrates the schema first, unless `migrateAtStart` is false.
 * @throws Error with the missing migrations if `migrateAtStart` is false and the schema is older than this release
 */
export async function openDatabase(
  settings: DatabaseSettings,
  logger: Logger,
  { migrateAtStart = true, ...options }: { migrateAtStart?: boolean } & RepositoryOptions = {},
): Promise<Database> {
  if (migrateAtStart && settings.kind === 'postgresql') await migrateServer(settings, logger);
  const orm = await openOrm(settings, logger);
  try {
    if (settings.kind === 'postgresql') await requireNoObstacles(orm);
    if (!migrateAtStart) await requireMigrated(orm);
    else if (settings.kind === 'embedded') await migrate(orm, { isShared: false });
    return await createRepositories(orm, logger, options);
  } catch (error) {
    await orm.close(true);
    throw error;
  }
}

/** `applied` lists the names of the applied steps. `grantee` is the serving login, if privileges were granted to it. */
export type MigrationResult = { applied: string[]; grantee?: string };

export async function migrateDatabase(settings: DatabaseSettings, logger: Logger): Promise<MigrationResult> {
  if (settings.kind === 'postgresql') return migrateServer(settings, logger);
  await using orm = await openOrm(settings, logger);
  return { applied: await migrate(orm, { isShared: false }) };
}

/** Uses no statement timeout, because migrating a large table, or waiting for another instance's migration, can take long. */
async function migrateServer(settings: PostgreSqlSettings, logger: Logger): Promise<MigrationResult> {
  await using orm = await openOrm(asOwner(settings), logger, noTimeLimit);
  await requireNoObstacles(orm, { migrates: true });
  const [owner, serving] = [loginOf(settings.ownerUrl ?? settings.url), loginOf(settings.url)];
  const applied = await migrate(orm, { isShared: true, logger }).catch(explainMissingRole(orm, owner));
  if (serving === owner) return { applied };
  await grantServingPrivileges(orm, serving).catch(explainMissingRole(orm, serving));
  await using servingOrm = await openOrm(settings, logger, noTimeLimit);
  await requireNoObstacles(servingOrm, { schema: await findSchema(orm) });
  await setStatementTimeout(servingOrm, requestTimeLimit.statementMilliseconds);
  return { applied, grantee: serving };
}

async function requireMigrated(orm: Orm): Promise<void> {
  const missing = await findPendingSteps(orm);
  if (missing.length === 0) return;
  throw new Error(`The schema is outdated: it lacks ${missing.join(', ')}. Run npm run migrate.`);
}

async function requireOwner(orm: Orm): Promise<void> {
  const { name, ownsTables } = await findLogin(orm);
  if (ownsTables) return;
  throw new Error(
    `The login ${name} does not own the tables. Set DATABASE_MIGRATION_URL to use the owner's login for operator commands.`,
  );
}

function loginOf(url: string): string {
  return readPostgresAddress(url).user;
}

/**
 * Connects as the owner, for operator commands. Does not migrate the schema.
 * @throws Error with the missing migrations, or if the login is not the owner
 */
export async function openAdministration(settings: DatabaseSettings, logger: Logger, operator: string) {
  const orm = await openOrm(asOwner(settings), logger, noTimeLimit);
  try {
    if (settings.kind === 'postgresql') await requireNoObstacles(orm);
    await requireMigrated(orm);
    await requireOwner(orm);
  } catch (error) {
    await orm.close(true);
    throw error;
  }
  return { administration: createAdministration(orm, operator), close: () => orm.close(true) };
}

/** Opens the target database of `copy-to`. `url` must have its owner's login. */
export function openCopyTarget(url: string, logger: Logger): Promise<Orm> {
  return openOrm({ kind: 'postgresql', url, variable: 'The address of copy-to' }, logger, noTimeLimit);
}

type RepositoryOptions = {
  /** Wraps each call of a database function, for tracing. */
  traceCall?: TraceCall | undefined;
};

/** The database must be migrated. `close` also closes `orm`. */
export async function createRepositories(orm: Orm, logger: Logger, { traceCall }: RepositoryOptions = {}) {
  const native = await getNativeClient(orm);
  const client = traceCall === undefined ? native : tracedClient(native, traceCall);
  const outage = createOutageDetector(logger);
  const [readClient, writeClient] = [outage.watch('read', client), outage.watch('write', client)];
  const sessionStore = createSessionStore({ readClient, writeClient });
  const stopPruningSessions = startPruningSessions(sessionStore, logger);
  return {
    users: createUsers(writeClient),
    turns: createTurns(writeClient, logger),
    outage,
    engagements: createEngagements(orm, outage),
    sessionStore,
    prune: (retainDays: number, operator: string, maxMessages?: number) =>
      pruneConversations(writeClient, retainDays, operator, maxMessages),
    /**
     * Reads neither the clock nor the size of the database if every connection is in use and the server responds, because the queries
     * would have to wait for a connection.
     * @throws the database's error, or the error of the last write if the server could not execute it
     */
    async ping(): Promise<{ clockAheadSeconds?: number; sizeBytes?: number }> {
      const { writeFailure } = outage;
      if (writeFailure !== undefined) throw writeFailure;
      if (isPoolExhausted(native) && outage.isAnswering) return {};
      return { clockAheadSeconds: (await compareClocks(orm)) / 1000, sizeBytes: await readSize(orm) };
    },
    /** `waiting` counts statements that wait for a connection. The embedded database has one connection and its own queue. */
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

export type Database = Awaited<ReturnType<typeof createRepositories>>;
