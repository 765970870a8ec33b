import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/core';
import { createPostgreSqlTypeParsers, PgliteDriver } from '@mikro-orm/pglite';
import { type Logger, pino } from 'pino';
import { createAdministration } from '../../server/database/administration.ts';
import { createDatabase } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { type Orm, openOrm, ormOptions } from '../../server/database/orm.ts';
import { atEndOfRun } from './end-of-run.ts';
import { migratedCluster } from './migrated-cluster.ts';
import { testDatabaseUrl } from './services.ts';

/** Emptied, to be used again: to load one costs most of a second of processor time. */
const idle: { pglite: PGlite; schema: string }[] = [];

/** What V8 has compiled for one database serves the next. */
let compiled: Promise<WebAssembly.Module> | undefined;

// One that has waited for a lock looks at the clock until it is closed.
atEndOfRun(() => Promise.all(idle.map(({ pglite }) => pglite.close())));

/** A migrated database in memory, without rows: one that was used before, unless it has to be new. */
async function takeEmbeddedDatabase(isNew = false) {
  const { pglite, schema } = (isNew ? undefined : idle.pop()) ?? (await load());
  const { lent, takeBack } = lend(pglite);
  return {
    pglite: lent,

    /** Gives it back. One that is not as it was cannot be used again. */
    async putBack(): Promise<void> {
      if (!takeBack()) return;
      if (await isEmptied(pglite, schema).catch(() => false)) idle.push({ pglite, schema });
      else await pglite.close();
    },
  };
}

/** The same database, which refuses every call from `takeBack` on: it may be somebody else's then. */
function lend(pglite: PGlite) {
  let isLent = true;
  const lent = new Proxy(pglite, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]) =>
        isLent ? member.apply(target, parameters) : Promise.reject(new Error('The database is closed.'));
    },
  });
  return {
    lent,
    takeBack(): boolean {
      const wasLent = isLent;
      isLent = false;
      return wasLent;
    },
  };
}

async function load() {
  const { archive } = await migratedCluster();
  compiled ??= WebAssembly.compile(await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))));
  const pglite = await PGlite.create({
    loadDataDir: archive,
    parsers: createPostgreSqlTypeParsers(noArrays),
    pgliteWasmModule: await compiled,
  });
  return { pglite, schema: await schemaOf(pglite) };
}

function noArrays(): never {
  throw new Error('No column is an array.');
}

// Without the triggers: rows go in any order, those of the audit trail too. To truncate takes twenty times as long, because
// PostgreSQL makes new files for every table and index then.
const removeRows = `
  do $$
  declare name text;
  begin
    set local session_replication_role = replica;
    for name in select format('%I', tablename) from pg_tables
      where schemaname = 'public' and tablename <> 'schema_migrations' loop
      execute 'delete from ' || name;
    end loop;
    perform setval(oid, 1, false) from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace;
  end $$`;

/** Leaves what a test may have begun, removes all rows, and says whether the schema is still `schema`. */
async function isEmptied(pglite: PGlite, schema: string): Promise<boolean> {
  await pglite.exec('rollback');
  await pglite.exec('discard all');
  if ((await schemaOf(pglite)) !== schema) return false;
  await pglite.exec(removeRows);
  return true;
}

const catalogs = [
  'pg_class',
  'pg_attribute',
  'pg_attrdef',
  'pg_type',
  'pg_proc',
  'pg_policy',
  'pg_constraint',
  'pg_trigger',
  'pg_index',
  'pg_namespace',
  'pg_authid',
  'pg_auth_members',
  'pg_db_role_setting',
  'pg_default_acl',
  'schema_migrations',
];

/** How many rows describe everything but rows, and which transaction was the last to write one of them. */
async function schemaOf(pglite: PGlite): Promise<string> {
  return JSON.stringify(
    await pglite.exec(
      catalogs.map((name) => `select count(*), max(xmin::text::bigint) from ${name}`).join(' union all '),
    ),
  );
}

const silent = pino({ level: 'silent' });

/**
 * A migrated database of its own: on PostgreSQL where `TEST_DATABASE_URL` names a server, else embedded, in memory. An embedded
 * one may have served an organization of another test: its connection remembers that it was told one, unless it `isNew`.
 */
export async function createTestDatabase(logger = silent, { isNew = false } = {}) {
  const { orm, drop } =
    testDatabaseUrl === undefined ? await openEmbedded(logger, isNew) : await openOnServer(testDatabaseUrl, logger);
  const database = await createDatabase(orm, logger);

  async function close() {
    await database.close();
    await drop();
  }

  return {
    orm,
    database,
    /** What the operator does, from outside of the application. */
    administration: createAdministration(orm, 'operator of the tests'),
    /** What is stored, past every repository and filter. */
    rows: (sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> =>
      orm.em.fork().execute(sql, parameters),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

async function openEmbedded(logger: Logger, isNew: boolean) {
  const { pglite, putBack } = await takeEmbeddedDatabase(isNew);
  const orm: Orm = await MikroORM.init({
    ...ormOptions(logger),
    driver: PgliteDriver,
    dbName: 'memory://',
    // As a function, because the ORM would copy an object.
    driverOptions: { pglite: () => pglite },
  });
  return { orm, drop: putBack };
}

/** What all databases of a run on a server are copies of. Its name is in the environment of all processes of the run. */
const templateVariable = 'TEST_DATABASE_TEMPLATE';
let databases = 0;

async function openOnServer(server: string, logger: Logger) {
  const template = process.env[templateVariable];
  if (template === undefined) throw new Error('The run has made no template of its databases.');
  databases += 1;
  const name = `${template}_${process.pid}_${databases}`;
  await onServer(server, `create database ${name} template ${template}`);
  const orm = await openOrm({ kind: 'postgresql', url: databaseOn(server, name) }, logger);
  return { orm, drop: () => onServer(server, `drop database ${name} with (force)`) };
}

/** Once for a run, by the process that begins it, before all tests. Gives what drops it. */
export async function makeTemplate(server: string): Promise<() => Promise<void>> {
  const template = `advisory_chat_test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${template}`);
  const orm = await openOrm({ kind: 'postgresql', url: databaseOn(server, template) }, silent);
  await migrate(orm, { shared: true });
  await orm.close(true);
  process.env[templateVariable] = template;
  return () => onServer(server, `drop database ${template} with (force)`);
}

/** Runs one statement on a server, as the user that its address names. */
export async function onServer(server: string, statement: string): Promise<void> {
  const orm = await openOrm({ kind: 'postgresql', url: server }, silent);
  await orm.em.fork().execute(statement);
  await orm.close(true);
}

/** The address of another database on the same server. */
export function databaseOn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
