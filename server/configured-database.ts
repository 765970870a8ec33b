import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { Administration } from './database/administration.ts';
import type { AroundCall } from './database/client.ts';
import {
  type Database,
  type Migrated,
  migrateDatabase,
  openAdministration,
  openDatabase,
} from './database/database.ts';
import type { DatabaseSettings } from './database/orm.ts';
import { retryWhileUnavailable, unavailableReason } from './database/outage.ts';
import { lockDatabaseDirectory } from './embedded/data-directory.ts';

type Settings = Pick<Config, 'databaseUrl' | 'databaseMigrationUrl' | 'dataDirectory'> &
  Partial<Pick<Config, 'databasePool'>>;

/** As long as a database takes to start or to fail over. */
const startTimeoutMilliseconds = 60_000;

/** Opens the database that the configuration names, else the embedded one; `opened` closes it again. */
export async function openConfiguredDatabase(
  config: Settings & Pick<Config, 'migrateAtStart'>,
  opened: AsyncDisposableStack,
  logger: Logger,
  aroundCall?: AroundCall,
): Promise<Database> {
  const { dataDirectory, migrateAtStart } = config;
  const settings = locate(config, opened);
  if (isMissing(settings)) {
    if (!migrateAtStart) throw new Error(`There is no database in ${dataDirectory} yet: npm run migrate makes one.`);
    await createEmbeddedDatabase(settings.directory, logger);
  }
  const open = () => openDatabase(settings, logger, { migrateAtStart, aroundCall });
  const database = await (settings.kind === 'embedded' ? open() : waitingForServer(open, logger));
  opened.defer(database.close);
  return database;
}

function waitingForServer<T>(open: () => Promise<T>, logger: Logger): Promise<T> {
  return retryWhileUnavailable(open, {
    timeoutMilliseconds: startTimeoutMilliseconds,
    onUnavailable: (error) =>
      logger.warn({ err: error, reason: unavailableReason(error) }, 'database unavailable; the start waits up to 60 s'),
  });
}

/** Brings the schema of the same database up to date; an embedded one is made where there is none. */
export async function migrateConfiguredDatabase(config: Settings, logger: Logger): Promise<Migrated> {
  await using opened = new AsyncDisposableStack();
  const settings = locate(config, opened);
  if (isMissing(settings)) return await createEmbeddedDatabase(settings.directory, logger);
  return await migrateDatabase(settings, logger);
}

/**
 * Opens the same database for the operator's commands, which change no schema; `opened` closes it again.
 * @throws Error where there is no embedded database yet, or a server is running on it
 */
export async function openConfiguredAdministration(
  config: Settings,
  opened: AsyncDisposableStack,
  logger: Logger,
  operator: string,
): Promise<Administration> {
  const settings = locate(config, opened);
  if (isMissing(settings)) {
    throw new Error(`There is no database in ${config.dataDirectory} yet: the first start of the service makes one.`);
  }
  const { administration, close } = await openAdministration(settings, logger, operator);
  opened.defer(close);
  return administration;
}

/**
 * Where the database is. The embedded one is this process's own until `opened` is disposed of.
 * @throws Error where another process has it
 */
function locate(
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

function isMissing(settings: DatabaseSettings): settings is DatabaseSettings & { kind: 'embedded' } {
  return settings.kind === 'embedded' && !existsSync(settings.directory);
}

/** Under another name until it is whole: a first start that is cut short must not leave half a database behind. */
async function createEmbeddedDatabase(directory: string, logger: Logger): Promise<Migrated> {
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const migrated = await migrateDatabase({ kind: 'embedded', directory: unfinished }, logger);
  renameSync(unfinished, directory);
  return migrated;
}
