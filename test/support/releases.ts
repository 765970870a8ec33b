import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/core';
import { PgliteDriver } from '@mikro-orm/pglite';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { ormOptions } from '../../server/database/orm.ts';
import { root, temporaryDirectory } from './served-process.ts';
import { run } from './server-process.ts';

/**
 * The commits of the releases from which an update is supported; add each new release. "The first schema" is that of the
 * day of 1.0.0, before the last migrations of the release.
 */
const releases = {
  'the first schema': '31c7bc4bfcb85a9ab6dcfff686d4a4a1dca04de8',
  '1.0.0': '9ebee076789cea5c342795b57e39025d466c2050',
  '1.1.0': '35267d0c31f08b480275594c516c17765cdd0dac',
} as const;

export type Release = keyof typeof releases;

/**
 * Unpacks `server`, `shared` and package.json of a release, with the current packages. `connect-pg-simple` is among them
 * only for releases before 2.0.0.
 * @throws Error if the clone does not have the release's commit
 */
export async function unpackRelease(release: Release) {
  await run('git', ['-C', root, 'cat-file', '-e', `${releases[release]}^{commit}`]).catch((cause) => {
    throw new Error(`This clone has no commit of release ${release}. Run: git fetch --unshallow`, { cause });
  });
  const directory = await temporaryDirectory();
  const archive = join(directory.path, 'release.tar');
  await run('git', [
    '-C',
    root,
    'archive',
    `--output=${archive}`,
    releases[release],
    'server',
    'shared',
    'package.json',
  ]);
  await run('tar', ['-xf', archive, '-C', directory.path]);
  await symlink(join(root, 'node_modules'), join(directory.path, 'node_modules'));
  return { path: directory.path, [Symbol.asyncDispose]: directory.remove };
}

/** Creates the schema of a release in an empty database on a PostgreSQL server. */
export async function createSchemaOf(release: Release, clientUrl: string): Promise<void> {
  const options = { ...ormOptions(pino({ level: 'silent' })), migrations: await migrationsOf(release) };
  await using orm = await MikroORM.init({ ...options, driver: PostgreSqlDriver, clientUrl });
  await orm.migrator.up();
}

/** Creates the schema of a release in an embedded database. */
export async function createEmbeddedSchemaOf(release: Release, pglite: PGlite): Promise<void> {
  const options = { ...ormOptions(pino({ level: 'silent' })), migrations: await migrationsOf(release) };
  const driverOptions = { pglite: () => pglite };
  await using orm = await MikroORM.init({ ...options, driver: PgliteDriver, dbName: 'memory://', driverOptions });
  await orm.migrator.up();
}

async function migrationsOf(release: Release) {
  await using unpacked = await unpackRelease(release);
  return (await import(join(unpacked.path, 'server/database/migrations.ts'))).migrations;
}
