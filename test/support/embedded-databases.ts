import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { createPostgreSqlTypeParsers } from '@mikro-orm/pglite';
import { atEndOfRun } from './end-of-run.ts';
import { migratedCluster } from './migrated-cluster.ts';

/** Emptied, to be used again: to load one costs most of a second of processor time. */
const idle: { pglite: PGlite; schema: string }[] = [];

/** What V8 has compiled for one database serves the next. */
let compiled: Promise<WebAssembly.Module> | undefined;

// One that has waited for a lock looks at the clock until it is closed.
atEndOfRun(() => Promise.all(idle.map(({ pglite }) => pglite.close())));

/** A migrated database in memory, without rows: one that was used before, unless it has to be new. */
export async function takeEmbeddedDatabase(isNew = false) {
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
  ...['pg_class', 'pg_attribute', 'pg_attrdef', 'pg_type', 'pg_proc', 'pg_policy', 'pg_constraint', 'pg_trigger'],
  ...['pg_index', 'pg_namespace', 'pg_authid', 'pg_auth_members', 'pg_db_role_setting', 'pg_default_acl'],
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
