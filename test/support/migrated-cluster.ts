import { createHash } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/core';
import { PgliteDriver } from '@mikro-orm/pglite';
import { pino } from 'pino';
import { ormOptions } from '../../server/database/orm.ts';
import { migrate } from '../../server/database/schema/run-migrations.ts';
import { root, temporaryDirectory } from './served-process.ts';

/**
 * An embedded database with the current schema, in which only the migrations have rows. Creating one takes seconds, copying it a
 * fraction of a second.
 */
type MigratedCluster = {
  archive: Blob;
  /** The directory of the same cluster's files. Copy them, and never open them, because opening changes them. */
  directory: string;
};

let cluster: Promise<MigratedCluster> | undefined;

/** Returns the cached cluster, or creates it if none is cached for the current schema and PGlite. */
export function loadMigratedCluster(): Promise<MigratedCluster> {
  cluster ??= loadOrCreateCluster();
  return cluster;
}

export async function createMigratedDataDirectory() {
  const { path, remove } = await temporaryDirectory();
  const { directory } = await loadMigratedCluster();
  // Takes a third of the CPU time of the asynchronous function.
  cpSync(directory, join(path, 'database'), { recursive: true });
  return { path, remove };
}

/** Returns the archive of a database without migrations, for PGlite's `loadDataDir`. */
export async function loadEmptyArchive(): Promise<Blob> {
  const { directory } = await loadMigratedCluster();
  return new Blob([await readFile(join(directory, '../empty.tar'))]);
}

async function loadOrCreateCluster(): Promise<MigratedCluster> {
  const cache = join(root, 'node_modules/.cache/advisory-chat-tests', await schemaHash());
  const archiveFile = join(cache, 'archive.tar');
  const directory = join(cache, 'database');
  if (!existsSync(archiveFile)) await createCluster(cache);
  return { archive: new Blob([await readFile(archiveFile)]), directory };
}

/** Writes to a directory of this process and renames it, because several test processes can do this at the same time. */
async function createCluster(cache: string): Promise<void> {
  const draft = `${cache}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  const database = join(draft, 'database');
  const pglite = await PGlite.create(database);
  // Disables a timer that PostgreSQL would start and never stop. The timer follows `Date`, which tests move by weeks: a
  // delay of more than 24 days would overflow the timers of Node.
  await pglite.exec('alter system set log_startup_progress_interval = 0');
  const dumpTo = async (name: string) => writeFile(join(draft, name), (await pglite.dumpDataDir('none')).stream());
  await dumpTo('empty.tar');
  const orm = await MikroORM.init({
    ...ormOptions(pino({ level: 'silent' })),
    driver: PgliteDriver,
    dbName: database,
    // Passed as a function, because the ORM would copy an object.
    driverOptions: { pglite: () => pglite },
  });
  await migrate(orm, { isShared: false });
  await dumpTo('archive.tar');
  await orm.close(true);
  await pglite.close();
  await rename(draft, cache).catch(() => rm(draft, { recursive: true }));
}

async function schemaHash(): Promise<string> {
  const database = join(root, 'server/database');
  const schema = await readdir(join(database, 'schema'), { recursive: true, withFileTypes: true });
  const files = [
    ...schema.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)),
    join(database, 'tenant.ts'),
    join(root, 'node_modules/@electric-sql/pglite/package.json'),
    join(root, 'package.json'),
    import.meta.filename,
  ];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
