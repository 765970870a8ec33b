import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import { type Database, openDatabase } from './database/database.ts';
import { lockDatabaseDirectory } from './embedded/data-directory.ts';

/** Opens the database that the configuration names, else the embedded one; `opened` closes it again. */
export async function openConfiguredDatabase(
  { databaseUrl, dataDirectory }: Pick<Config, 'databaseUrl' | 'dataDirectory'>,
  opened: AsyncDisposableStack,
  logger: Logger,
): Promise<Database> {
  if (databaseUrl !== undefined) {
    const database = await openDatabase({ kind: 'postgresql', url: databaseUrl }, logger);
    opened.defer(database.close);
    return database;
  }
  const { directory, unlock } = lockDatabaseDirectory(dataDirectory);
  opened.defer(unlock);
  if (!existsSync(directory)) await createEmbeddedDatabase(directory, logger);
  const database = await openDatabase({ kind: 'embedded', directory }, logger);
  opened.defer(database.close);
  return database;
}

/** Under another name until it is whole: a first start that is cut short must not leave half a database behind. */
async function createEmbeddedDatabase(directory: string, logger: Logger): Promise<void> {
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const database = await openDatabase({ kind: 'embedded', directory: unfinished }, logger);
  await database.close();
  renameSync(unfinished, directory);
}
