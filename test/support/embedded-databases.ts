import { PGlite } from '@electric-sql/pglite';
import { createPostgreSqlTypeParsers } from '@mikro-orm/pglite';
import { atEndOfRun } from './end-of-run.ts';
import { migratedCluster } from './migrated-cluster.ts';

/** Emptied, to be used again: to load one costs most of a second of processor time. */
const idle: { pglite: PGlite; schema: string }[] = [];

// One that has waited for a lock looks at the clock until it is closed.
atEndOfRun(() => Promise.all(idle.map(({ pglite }) => pglite.close())));

/** A migrated database in memory, without rows. */
export async function takeEmbeddedDatabase() {
  const { pglite, schema } = idle.pop() ?? (await load());
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
  const pglite = await PGlite.create({ loadDataDir: archive, parsers: createPostgreSqlTypeParsers(noArrays) });
  return { pglite, schema: await schemaOf(pglite) };
}

function noArrays(): never {
  throw new Error('No column is an array.');
}

/** Leaves what a test may have begun, removes all rows, and says whether the schema is still `schema`. */
async function isEmptied(pglite: PGlite, schema: string): Promise<boolean> {
  await pglite.exec('rollback');
  await pglite.exec('discard all');
  if ((await schemaOf(pglite)) !== schema) return false;
  const { rows } = await pglite.query<{ tables: string | null }>(`
    select string_agg(format('%I', tablename), ', ') as tables from pg_tables
    where schemaname = 'public' and tablename <> 'schema_migrations'`);
  await pglite.exec(`truncate ${rows[0]?.tables} restart identity cascade`);
  return true;
}

/** Everything but rows: tables with their columns and rights, functions, policies, constraints, triggers, roles, settings. */
async function schemaOf(pglite: PGlite): Promise<string> {
  const { rows } = await pglite.query<{ schema: string }>(`
    with own as (select oid from pg_namespace where nspname not in ('pg_catalog', 'information_schema', 'pg_toast'))
    select md5(string_agg(part, E'\\n' order by part)) as schema from (
      select concat_ws(' ', oid, relname, relkind, relowner, relrowsecurity, relforcerowsecurity, reloptions, relacl)
        from pg_class where relnamespace in (table own)
      union all
      select concat_ws(' ', attrelid, attnum, attname, atttypid, attnotnull, attisdropped, attacl, attoptions)
        from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace in (table own)
      union all
      select concat_ws(' ', oid, proname, proowner, prosecdef, proconfig, proacl, prosrc)
        from pg_proc where pronamespace in (table own)
      union all select concat_ws(' ', oid, polname, polrelid, polcmd, polroles, polqual, polwithcheck) from pg_policy
      union all select concat_ws(' ', oid, conname, pg_get_constraintdef(oid)) from pg_constraint where connamespace in (table own)
      union all select concat_ws(' ', oid, tgname, tgenabled) from pg_trigger
      union all select concat_ws(' ', oid, rolname, rolsuper, rolbypassrls, rolcanlogin, rolinherit) from pg_roles
      union all select concat_ws(' ', roleid, member) from pg_auth_members
      union all select concat_ws(' ', setdatabase, setrole, setconfig) from pg_db_role_setting
      union all select concat_ws(' ', nspname, nspowner, nspacl) from pg_namespace where oid in (table own)
      union all select name from schema_migrations
    ) as parts (part)`);
  return rows[0]?.schema ?? '';
}
