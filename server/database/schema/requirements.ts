import type { Orm } from '../orm.ts';
import { functionSignatures } from './functions.ts';
import { stepsTable } from './migrations.ts';

type Facts = {
  database: string;
  login: string;
  encoding: string;
  settings: { name: string; value: string; required: string }[];
  /** The schema of the service's tables. Null before the first migration, or if the login cannot see it. */
  schema: string | null;
  /** The schema in which the login would create tables. Null if the search path has none. */
  creationSchema: string | null;
  mayCreate: boolean;
  /** Objects in that schema with the names of the service's tables and functions, before the first migration. */
  taken: string[];
  /** Objects with these names that the login finds before the service's own, such as `other.users`. */
  shadowing: string[];
};

/** Connections set the isolation level themselves, unless a pooler refuses it. */
const requiredSettings = { default_transaction_isolation: 'read committed', session_replication_role: 'origin' };

const statement = `
  with service as (
    select relnamespace as schema from pg_class where oid = to_regclass('${stepsTable}')
      and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'name')
  ), named as (
    select name, relnamespace as schema
      from json_array_elements_text(?::json) as names (name) join pg_class on pg_class.oid = to_regclass(name)
    union
    select name, typnamespace
      from json_array_elements_text(?::json) as names (name) join pg_type on pg_type.oid = to_regtype(name)
    union
    select name, pronamespace
      from json_array_elements_text(?::json) as names (name) join pg_proc on pg_proc.oid = to_regprocedure(name)
  )
  select datname::text as database, current_user::text as login, pg_encoding_to_char(encoding) as encoding,
      (select coalesce(json_agg(json_build_object('name', key, 'value', current_setting(key), 'required', value)), '[]')
        from json_each_text(?::json) where current_setting(key) <> value) as settings,
      (select schema::regnamespace::text from service) as schema,
      current_schema()::text as "creationSchema",
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
      (select coalesce(json_agg(name order by name), '[]') from named
        where not exists (select from service) and schema = to_regnamespace(quote_ident(current_schema()))) as taken,
      (select coalesce(json_agg(schema::regnamespace || '.' || name order by name), '[]') from named
        where schema <> (select schema from service)) as shadowing
    from pg_database where datname = current_database()`;

type Options = {
  /** Whether the login migrates, so that the database must also be ready for the first migration. */
  migrates?: boolean;
  /** The schema in which the login must find the tables. */
  schema?: string;
};

/**
 * Returns the reasons why the service cannot use the database: an unsuitable encoding or setting, a schema that is missing or in
 * which the login may not create tables, tables that the login does not find, and objects of others with the names of the
 * service's own. Each names the statements that repair it.
 */
export async function findObstacles(orm: Orm, options: Options = {}): Promise<string[]> {
  const tables = [...orm.getMetadata().getAll().values()].map((entity) => entity.tableName);
  const names = JSON.stringify([...tables, stepsTable]);
  const parameters = [names, names, JSON.stringify(functionSignatures), JSON.stringify(requiredSettings)];
  const facts = await orm.em.fork().execute<Facts>(statement, parameters, 'get');
  return [...settingObstacles(facts), ...objectObstacles(facts, options)];
}

/** Returns the schema of the service's tables. The database must be migrated, and the login must see them. */
export async function findSchema(orm: Orm): Promise<string> {
  const query = `select relnamespace::regnamespace::text as schema from pg_class where oid = '${stepsTable}'::regclass`;
  return (await orm.em.fork().execute<{ schema: string }>(query, [], 'get')).schema;
}

/** @throws Error with the obstacles, if there are any */
export async function requireNoObstacles(orm: Orm, options?: Options): Promise<void> {
  const obstacles = await findObstacles(orm, options);
  if (obstacles.length > 0) throw new Error(obstacles.join(' '));
}

function settingObstacles(facts: Facts): string[] {
  const { database, encoding, settings } = facts;
  const problems = settings.map(
    ({ name, value, required }) =>
      `The setting ${name} is ${value}. ${advice(`${alterLogin(facts)} set ${name} = '${required}'`)}`,
  );
  if (encoding === 'UTF8') return problems;
  return [
    `The encoding of the database ${database} is ${encoding}. Use another database, whose encoding is UTF8. ` +
      advice(`create database ${quote(`${database}_utf8`)} encoding 'UTF8' locale 'C' template template0`),
    ...problems,
  ];
}

function objectObstacles(facts: Facts, { migrates = false, schema }: Options): string[] {
  if (facts.schema !== null) return shadowingObstacles(facts);
  if (schema !== undefined) return missingTableObstacles(facts, schema);
  return migrates ? creationObstacles(facts) : [];
}

function creationObstacles(facts: Facts): string[] {
  const { login, creationSchema, mayCreate, taken } = facts;
  if (creationSchema === null) {
    return [
      `No schema in the search_path of the login ${login} exists. ${advice(`${alterLogin(facts)} set search_path = public`)}`,
    ];
  }
  if (taken.length > 0) {
    return [
      `The schema ${creationSchema} already has other objects with the names of the service's own: ${taken.join(', ')}. ` +
        `Use another database, or another schema. ${advice(
          `create schema advisory_chat authorization ${quote(login)}`,
          `${alterLogin(facts)} set search_path = advisory_chat`,
        )} Set the search_path of the login in DATABASE_URL too.`,
    ];
  }
  if (mayCreate) return [];
  return [
    `The login ${login} is not allowed to create tables in the schema ${creationSchema}. ` +
      advice(`grant create on schema ${quote(creationSchema)} to ${quote(login)}`),
  ];
}

function missingTableObstacles(facts: Facts, schema: string): string[] {
  const { login } = facts;
  return [
    `The login ${login} does not find the tables in the schema ${schema}. ` +
      advice(`grant usage on schema ${schema} to ${quote(login)}`, `${alterLogin(facts)} set search_path = ${schema}`),
  ];
}

function shadowingObstacles(facts: Facts): string[] {
  const { login, schema, shadowing } = facts;
  if (shadowing.length === 0) return [];
  return [
    `For the login ${login}, objects of the service in the schema ${schema} are hidden by ${shadowing.join(', ')}. ` +
      advice(`${alterLogin(facts)} set search_path = ${schema}`),
  ];
}

const advice = (...statements: string[]) =>
  `As an administrator of the database server, run ${statements.map((text) => `\`${text};\``).join(' and ')}.`;

const alterLogin = ({ login, database }: Facts) => `alter role ${quote(login)} in database ${quote(database)}`;

const quote = (identifier: string) => `"${identifier.replaceAll('"', '""')}"`;
