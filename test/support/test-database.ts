import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/core';
import { createPostgreSqlTypeParsers, PgliteDriver } from '@mikro-orm/pglite';
import { Client } from 'pg';
import { type Logger, pino } from 'pino';
import { createRepositories } from '../../server/database/database.ts';
import { createAdministration } from '../../server/database/operators/administration.ts';
import { type Orm, openOrm, ormOptions } from '../../server/database/orm.ts';
import { migrate } from '../../server/database/schema/run-migrations.ts';
import { loadMigratedCluster } from './migrated-cluster.ts';
import { testDatabaseUrl } from './services.ts';

/** Emptied databases for reuse: loading one costs most of a second of CPU time. */
const idle: { pglite: PGlite; schema: string }[] = [];

/** All embedded databases of a process share the compiled module. */
let wasmModule: Promise<WebAssembly.Module> | undefined;

/** Acquires an emptied, migrated database in memory: a used one if one is idle, unless `isNew`. */
async function acquireEmbeddedDatabase(isNew = false) {
  const { pglite, schema } = (isNew ? undefined : idle.pop()) ?? (await load());
  const { handle, revoke } = createHandle(pglite);

  async function empty(): Promise<boolean> {
    await pglite.exec('rollback');
    await pglite.exec('discard all');
    return reset(executeWith(pglite), schema);
  }

  return {
    pglite: handle,

    /** Empties the database for reuse, or closes it if its schema has changed or it cannot be emptied. */
    async release(): Promise<void> {
      revoke();
      if (await empty().catch(() => false)) idle.push({ pglite, schema });
      else await pglite.close();
    },
  };
}

/** Creates a handle that rejects every call once it is revoked, because another test may use the database then. */
function createHandle(pglite: PGlite) {
  let isRevoked = false;
  const handle = new Proxy(pglite, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]) =>
        isRevoked ? Promise.reject(new Error('The database is closed.')) : member.apply(target, parameters);
    },
  });
  return {
    handle,
    revoke(): void {
      isRevoked = true;
    },
  };
}

async function load() {
  const { archive } = await loadMigratedCluster();
  wasmModule ??= WebAssembly.compile(
    await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))),
  );
  const pglite = await PGlite.create({
    loadDataDir: archive,
    parsers: createPostgreSqlTypeParsers(noArrays),
    pgliteWasmModule: await wasmModule,
  });
  return { pglite, schema: await schemaOf(executeWith(pglite)) };
}

const executeWith =
  (pglite: PGlite): Execute =>
  async (sql) =>
    (await pglite.exec(sql)).flatMap(({ rows }) => rows);

function noArrays(): never {
  throw new Error('No column is an array.');
}

// Triggers are disabled, so that rows can be deleted in any order, including those of the audit trail. Truncating would
// take twenty times as long, because PostgreSQL creates new files for every table and index.
const deleteRows = `
  do $$
  declare name text;
  begin
    set local session_replication_role = replica;
    for name in select format('%I', tablename) from pg_tables
      where schemaname = 'public' and tablename <> 'schema_migrations' loop
      execute 'delete from ' || name;
    end loop;
    perform setval(oid, 1, false) from pg_class
      where relkind = 'S' and relnamespace = 'public'::regnamespace and relname not like 'schema_migrations%';
  end $$`;

type Execute = (sql: string) => Promise<Record<string, unknown>[]>;

/** Deletes all rows but those of the migrations. Returns false if the schema has changed. */
async function reset(execute: Execute, schema: string): Promise<boolean> {
  if ((await schemaOf(execute)) !== schema) return false;
  await execute(deleteRows);
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
  'pg_description',
  'pg_default_acl',
  'pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database())',
  'schema_migrations',
];

/** Reads a fingerprint of the schema: each catalog's number of rows, and the last transaction that wrote a row. */
async function schemaOf(execute: Execute): Promise<string> {
  return JSON.stringify(
    await execute(catalogs.map((name) => `select count(*), max(xmin::text::bigint) from ${name}`).join(' union all ')),
  );
}

const silent = pino({ level: 'silent' });

/**
 * Opens a migrated, empty database: on the PostgreSQL server of `TEST_DATABASE_URL` if that is set, else embedded and
 * in memory. It may have been used before. An embedded one has only one connection: unless it `isNew`, that may have had an
 * organization set.
 */
export async function createTestDatabase(logger = silent, { isNew = false } = {}) {
  const { orm, drop } =
    testDatabaseUrl === undefined ? await openEmbedded(logger, isNew) : await openOnServer(testDatabaseUrl, logger);
  const database = await createRepositories(orm, logger);

  let isClosed = false;

  /** A second call has no effect, because another test may use the database then. */
  async function close() {
    if (isClosed) return;
    isClosed = true;
    await database.close();
    await drop();
  }

  return {
    orm,
    database,
    administration: createAdministration(orm, 'operator of the tests'),
    /** Runs SQL without the filters of the repositories. */
    rows: (sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> =>
      orm.em.fork().execute(sql, parameters),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

async function openEmbedded(logger: Logger, isNew: boolean) {
  const { pglite, release } = await acquireEmbeddedDatabase(isNew);
  const orm: Orm = await MikroORM.init({
    ...ormOptions(logger),
    driver: PgliteDriver,
    dbName: 'memory://',
    // Passed as a function, because the ORM would copy an object.
    driverOptions: { pglite: () => pglite },
  });
  return { orm, drop: release };
}

/** The environment variable with the name of the template database, for runs on a PostgreSQL server. Child processes inherit it. */
const templateVariable = 'TEST_DATABASE_TEMPLATE';
let databases = 0;

/** Emptied databases for reuse: creating and dropping one takes several times as long as emptying it. */
const idleOnServer: { name: string; schema: string }[] = [];

async function openOnServer(server: string, logger: Logger) {
  const acquired = idleOnServer.pop() ?? (await createFromTemplate(server));
  const { name, schema } = acquired;
  const url = databaseOn(server, name);
  const orm = await openOrm({ kind: 'postgresql', url }, logger);

  const empty = () =>
    withClient(url, async (execute) => {
      await execute(
        `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
      );
      return reset(execute, schema);
    });

  return {
    orm,
    /** Empties the database for reuse, or drops it if its schema has changed or it cannot be emptied. */
    async drop(): Promise<void> {
      if (await empty().catch(() => false)) idleOnServer.push(acquired);
      else await executeOnServer(server, `drop database ${name} with (force)`);
    },
  };
}

/** Creates a migrated, empty database, which the caller drops. `createTestDatabase` reuses databases. */
export async function createFromTemplate(server: string) {
  const template = process.env[templateVariable];
  if (template === undefined)
    throw new Error(`${templateVariable} is not set: the run has created no template database.`);
  databases += 1;
  const name = `${template}_${process.pid}_${databases}`;
  await executeOnServer(server, `create database ${name} template ${template}`);
  return { name, schema: await withClient(databaseOn(server, name), schemaOf) };
}

/** Called once per run, before the first test. The returned function drops the template and the databases created from it. */
export async function createTemplate(server: string): Promise<() => Promise<void>> {
  const template = `advisory_chat_test_${randomBytes(6).toString('hex')}`;
  await executeOnServer(server, `create database ${template}`);
  const orm = await openOrm({ kind: 'postgresql', url: databaseOn(server, template) }, silent);
  await migrate(orm, { isShared: true });
  await orm.close(true);
  process.env[templateVariable] = template;
  return () =>
    withClient(server, async (execute) => {
      const created = await execute(`select datname from pg_database where starts_with(datname, '${template}')`);
      for (const { datname } of created) await execute(`drop database ${datname} with (force)`);
    });
}

export async function executeOnServer(server: string, statement: string): Promise<void> {
  await withClient(server, (execute) => execute(statement));
}

async function withClient<T>(url: string, work: (execute: Execute) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(async (sql) => (await client.query(sql)).rows);
  } finally {
    await client.end();
  }
}

export function databaseOn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
