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
import { retryWhileAway } from './database/outage.ts';
import { lockDatabaseDirectory } from './embedded/data-directory.ts';

type Settings = Pick<Config, 'databaseUrl' | 'databaseMigrationUrl' | 'dataDirectory'>;

/** As long as a database takes to start or to fail over. */
const startTimeoutMilliseconds = 60_000;

/** Opens the database that the configuration names, else the embedded one; `opened` closes it again. */
export async function openConfiguredDatabase(
  {
    databaseUrl,
    databaseMigrationUrl,
    databasePool: pool,
    dataDirectory,
    migrateAtStart,
  }: Settings & Pick<Config, 'databasePool' | 'migrateAtStart'>,
  opened: AsyncDisposableStack,
  logger: Logger,
  aroundCall?: AroundCall,
): Promise<Database> {
  if (databaseUrl !== undefined) {
    const settings = { kind: 'postgresql', url: databaseUrl, ownerUrl: databaseMigrationUrl, pool } as const;
    const database = await retryWhileAway(() => openDatabase(settings, logger, { migrateAtStart, aroundCall }), {
      timeoutMilliseconds: startTimeoutMilliseconds,
      onAway: (error) =>
        logger.warn({ err: error }, 'the database is away: the start waits for it, for a minute at most'),
    });
    opened.defer(database.close);
    return database;
  }
  const { directory, unlock } = lockDatabaseDirectory(dataDirectory);
  opened.defer(unlock);
  if (!existsSync(directory)) {
    if (!migrateAtStart) throw new Error(`There is no database in ${dataDirectory} yet: npm run migrate makes one.`);
    await createEmbeddedDatabase(directory, logger);
  }
  const database = await openDatabase({ kind: 'embedded', directory }, logger, { migrateAtStart, aroundCall });
  opened.defer(database.close);
  return database;
}

/** Brings the schema of the same database up to date; an embedded one is made where there is none. */
export async function migrateConfiguredDatabase(
  { databaseUrl, databaseMigrationUrl, dataDirectory }: Settings,
  logger: Logger,
): Promise<Migrated> {
  if (databaseUrl !== undefined) {
    return migrateDatabase({ kind: 'postgresql', url: databaseUrl, ownerUrl: databaseMigrationUrl }, logger);
  }
  const { directory, unlock } = lockDatabaseDirectory(dataDirectory);
  try {
    if (!existsSync(directory)) return await createEmbeddedDatabase(directory, logger);
    return await migrateDatabase({ kind: 'embedded', directory }, logger);
  } finally {
    unlock();
  }
}

/**
 * Opens the same database for the operator's commands, which change no schema; `opened` closes it again.
 * @throws Error where there is no embedded database yet, or a server is running on it
 */
export async function openConfiguredAdministration(
  { databaseUrl, databaseMigrationUrl, dataDirectory }: Settings,
  opened: AsyncDisposableStack,
  logger: Logger,
  operator: string,
): Promise<Administration> {
  if (databaseUrl !== undefined) {
    const settings = { kind: 'postgresql', url: databaseUrl, ownerUrl: databaseMigrationUrl } as const;
    const { administration, close } = await openAdministration(settings, logger, operator);
    opened.defer(close);
    return administration;
  }
  const { directory, unlock } = lockDatabaseDirectory(dataDirectory);
  opened.defer(unlock);
  if (!existsSync(directory)) {
    throw new Error(`There is no database in ${dataDirectory} yet: the first start of the service makes one.`);
  }
  const { administration, close } = await openAdministration({ kind: 'embedded', directory }, logger, operator);
  opened.defer(close);
  return administration;
}

/** Under another name until it is whole: a first start that is cut short must not leave half a database behind. */
async function createEmbeddedDatabase(directory: string, logger: Logger): Promise<Migrated> {
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const migrated = await migrateDatabase({ kind: 'embedded', directory: unfinished }, logger);
  renameSync(unfinished, directory);
  return migrated;
}
