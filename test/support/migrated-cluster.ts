import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/core';
import { PgliteDriver } from '@mikro-orm/pglite';
import { pino } from 'pino';
import { migrate } from '../../server/database/migrate.ts';
import { ormOptions } from '../../server/database/orm.ts';
import { root, temporaryDirectory } from './served-process.ts';

/** An embedded database with the present schema and no rows. Making one takes seconds, copying it a fraction of one. */
export type MigratedCluster = {
  /** As PGlite loads it. */
  archive: Blob;
  /** The same as files. To be copied, never opened. */
  directory: string;
};

let cluster: Promise<MigratedCluster> | undefined;

/** Kept from one run to the next, for as long as neither the schema nor PGlite change. */
export function migratedCluster(): Promise<MigratedCluster> {
  cluster ??= keptCluster();
  return cluster;
}

/** A DATA_DIR whose database is migrated already, and what removes it. */
export async function migratedDataDirectory() {
  const { path, remove } = await temporaryDirectory();
  const { directory } = await migratedCluster();
  await cp(directory, join(path, 'database'), { recursive: true });
  return { path, remove };
}

/** A database as it is before the first migration, as PGlite loads it. */
export async function emptyArchive(): Promise<Blob> {
  const { directory } = await migratedCluster();
  return new Blob([await readFile(join(directory, '../empty.tar'))]);
}

async function keptCluster(): Promise<MigratedCluster> {
  const kept = join(root, 'node_modules/.cache/advisory-chat-tests', await nameOfSchema());
  const archiveFile = join(kept, 'archive.tar');
  const directory = join(kept, 'database');
  if (!existsSync(archiveFile)) await makeCluster(kept);
  return { archive: new Blob([await readFile(archiveFile)]), directory };
}

/** In a place of its own first: another process of the tests may do the same at the same time. */
async function makeCluster(place: string): Promise<void> {
  const draft = `${place}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  const database = join(draft, 'database');
  const pglite = await PGlite.create(database);
  const keepAs = async (name: string) => writeFile(join(draft, name), (await pglite.dumpDataDir('none')).stream());
  await keepAs('empty.tar');
  const orm = await MikroORM.init({
    ...ormOptions(pino({ level: 'silent' })),
    driver: PgliteDriver,
    dbName: database,
    // As a function, because the ORM would copy an object.
    driverOptions: { pglite: () => pglite },
  });
  await migrate(orm, { shared: false });
  await keepAs('archive.tar');
  await orm.close(true);
  await pglite.close();
  await rename(draft, place).catch(() => rm(draft, { recursive: true }));
}

async function nameOfSchema(): Promise<string> {
  const database = join(root, 'server/database');
  const namesIn = async (folder: string) => (await readdir(join(database, folder))).map((name) => `${folder}/${name}`);
  const files = [
    ...['migrations.ts', 'functions.ts', 'migrate.ts', 'tenant.ts'].map((name) => join(database, name)),
    ...[...(await namesIn('migrations')), ...(await namesIn('functions'))].map((name) => join(database, name)),
    join(root, 'node_modules/@electric-sql/pglite/package.json'),
    join(root, 'package.json'),
    import.meta.filename,
  ];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
