import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import {
  type Database,
  type MigrationResult,
  migrateDatabase,
  openAdministration,
  openDatabase,
} from '../database/database.ts';
import type { TraceCall } from '../database/native-client.ts';
import type { Administration } from '../database/operators/administration.ts';
import type { DatabaseSettings } from '../database/orm.ts';
import { retryWhileUnavailable, unavailableReason } from '../database/serving/outage.ts';
import { lockDatabaseDirectory } from '../embedded/data-directory.ts';

type Settings = Pick<Config, 'databaseUrl' | 'databaseMigrationUrl' | 'dataDirectory'> &
  Partial<Pick<Config, 'databasePool'>>;

/** Covers the time that a database needs to start or fail over. */
const startTimeoutMilliseconds = 60_000;

/** Opens the configured database, or else the embedded one. `opened` closes it. */
export async function openConfiguredDatabase(
  config: Settings & Pick<Config, 'migrateAtStart'>,
  opened: AsyncDisposableStack,
  logger: Logger,
  traceCall?: TraceCall,
): Promise<Database> {
  const { dataDirectory, migrateAtStart } = config;
  const settings = locateAndLock(config, opened);
  if (isMissingDirectory(settings)) {
    if (!migrateAtStart) throw new Error(`There is no database in ${dataDirectory}. Run npm run migrate to create it.`);
    await createEmbeddedDatabase(settings.directory, logger);
  }
  const open = () => openDatabase(settings, logger, { migrateAtStart, traceCall });
  const database = await (settings.kind === 'embedded' ? open() : openWhenAvailable(open, logger));
  opened.defer(database.close);
  return database;
}

function openWhenAvailable<T>(open: () => Promise<T>, logger: Logger): Promise<T> {
  return retryWhileUnavailable(open, {
    timeoutMilliseconds: startTimeoutMilliseconds,
    onUnavailable: (error) =>
      logger.warn({ err: error, reason: unavailableReason(error) }, 'database unavailable; startup waits up to 60 s'),
  });
}

/** Migrates the database that `openConfiguredDatabase` would open. Creates an embedded database if it does not exist. */
export async function migrateConfiguredDatabase(config: Settings, logger: Logger): Promise<MigrationResult> {
  await using opened = new AsyncDisposableStack();
  const settings = locateAndLock(config, opened);
  if (isMissingDirectory(settings)) return await createEmbeddedDatabase(settings.directory, logger);
  return await migrateDatabase(settings, logger);
}

/**
 * Opens the database that `openConfiguredDatabase` would open, for operator commands, without migrating it.
 * @throws Error if the embedded database does not exist or is in use by another process
 */
export async function openConfiguredAdministration(
  config: Settings,
  opened: AsyncDisposableStack,
  logger: Logger,
  operator: string,
): Promise<Administration> {
  const settings = locateAndLock(config, opened);
  if (isMissingDirectory(settings)) {
    throw new Error(`There is no database in ${config.dataDirectory}. Start the service once to create it.`);
  }
  const { administration, close } = await openAdministration(settings, logger, operator);
  opened.defer(close);
  return administration;
}

/**
 * Returns the settings of the configured database, or locks the embedded one for this process until `opened` is disposed.
 * @throws Error if another process holds the lock
 */
function locateAndLock(
  { databaseUrl, databaseMigrationUrl, databasePool, dataDirectory }: Settings,
  opened: AsyncDisposableStack,
): DatabaseSettings {
  if (databaseUrl !== undefined) {
    return { kind: 'postgresql', url: databaseUrl, ownerUrl: databaseMigrationUrl, pool: databasePool };
  }
  const { directory, unlock } = lockDatabaseDirectory(dataDirectory);
  opened.defer(unlock);
  return { kind: 'embedded', directory };
}

function isMissingDirectory(settings: DatabaseSettings): settings is DatabaseSettings & { kind: 'embedded' } {
  return settings.kind === 'embedded' && !existsSync(settings.directory);
}

/** Uses a temporary name until the database is complete, so that an interrupted first start leaves no partial database. */
async function createEmbeddedDatabase(directory: string, logger: Logger): Promise<MigrationResult> {
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const migrated = await migrateDatabase({ kind: 'embedded', directory: unfinished }, logger);
  renameSync(unfinished, directory);
  return migrated;
}
