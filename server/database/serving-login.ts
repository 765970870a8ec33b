import { tableName } from './functions.ts';
import type { Orm } from './orm.ts';
import { tenantRole } from './tenant.ts';

/** What a login that serves may do to tables: its sessions, and what it writes down. Everything else it does as the tenant role. */
export const servingRights = { sessions: 'select, insert, update, delete', audit_events: 'insert' };

const rights = [
  ...Object.entries(servingRights).map(([table, granted]) => `grant ${granted} on ${table} to %1$I`),
  'grant usage on sequence audit_events_position_seq to %1$I',
  `grant select on ${tableName} to %1$I`,
  'grant execute on all functions in schema %2$I to %1$I',
  'grant usage on schema %2$I to %1$I',
];

/** Any number, the same in every instance: PostgreSQL fails if two transactions change the same rights at once. */
const rightsLock = 5_212_082;

/**
 * Gives `login`, which owns nothing, what it needs to serve, and nothing more; the owner does this after each migration.
 * @throws where the login does not exist, or the owner may not grant it the tenant role
 */
export async function grantServing(orm: Orm, login: string): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    await em.execute(`select pg_advisory_xact_lock(${rightsLock})`);
    const [known] = await em.execute<{ member: boolean }[]>(
      'select pg_has_role(rolname, ?, ?) as member from pg_roles where rolname = ?',
      [tenantRole, 'member', login],
    );
    if (known === undefined) throw new Error(`There is no login ${login}, which DATABASE_URL names.`);
    const [{ statements = [] } = {}] = await em.execute<{ statements: string[] }[]>(
      `select json_agg(format(statement, ?::text, current_schema())) as statements
         from json_array_elements_text(?::json) as list (statement)`,
      [login, JSON.stringify(known.member ? rights : [...rights, `grant ${tenantRole} to %1$I`])],
    );
    for (const statement of statements) await em.execute(statement);
  });
}

/**
 * Makes the limit of a statement a setting of the login that `orm` uses, in this database, unless it has one. It also holds
 * behind a pooler, which may refuse settings of a session. A login may change only its own settings, not the owner for it.
 */
export async function limitStatements(orm: Orm, milliseconds: number): Promise<void> {
  await orm.em.fork().execute(`do $$ begin
    if current_setting('statement_timeout') = '0' then
      perform pg_advisory_xact_lock(${rightsLock});
      execute format('alter role %I in database %I set statement_timeout = ${milliseconds}', current_user, current_database());
    end if;
  end $$`);
}

/** What PostgreSQL says, in any version, to a login that may not make or grant a role. */
const refusals = /^(permission denied to (create|grant) role|must have admin option on role)/;

/**
 * Says what an administrator has to do when `login` needs the tenant role and cannot get it by its own rights.
 * @throws always: that sentence, or the error as it was
 */
export function refuseWithRemedy(login: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error && refusals.test(error.message))) throw error;
    const [reason] = error.message.split('\n');
    throw new Error(
      `${reason}. The role ${tenantRole} is needed, and the login ${login} has to be a member of it. ` +
        `As an administrator of the database server: create role ${tenantRole} nologin nosuperuser nobypassrls; ` +
        `(unless it is there) grant ${tenantRole} to "${login}"; Then start again.`,
      { cause: error },
    );
  };
}
