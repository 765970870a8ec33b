import { tableName } from './migrations.ts';
import type { Orm } from './orm.ts';
import { tenantRole } from './tenant.ts';

/**
 * The serving login's own table privileges, besides reading the list of migrations. It uses other tables as the tenant role or
 * through database functions.
 */
export const servingPrivileges = { sessions: 'select, insert, update, delete', audit_events: 'insert' };

const grants = [
  ...Object.entries(servingPrivileges).map(([table, granted]) => `grant ${granted} on ${table} to %1$I`),
  'grant usage on sequence audit_events_position_seq to %1$I',
  `grant select on ${tableName} to %1$I`,
  'grant execute on all functions in schema %2$I to %1$I',
  'grant usage on schema %2$I to %1$I',
];

/** The key of an advisory lock. PostgreSQL fails if two transactions change the same privileges concurrently. */
const privilegesLock = 5_212_082;

/**
 * Grants `login`, which owns no tables, the minimal privileges for serving requests. The owner does this after each migration.
 * @throws Error if the login does not exist, or if the owner is not allowed to grant it the tenant role
 */
export async function grantServing(orm: Orm, login: string): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    await em.execute(`select pg_advisory_xact_lock(${privilegesLock})`);
    const [known] = await em.execute<{ member: boolean }[]>(
      'select pg_has_role(rolname, ?, ?) as member from pg_roles where rolname = ?',
      [tenantRole, 'member', login],
    );
    if (known === undefined) throw new Error(`The login ${login} in DATABASE_URL does not exist.`);
    const { statements } = await em.execute<{ statements: string[] }>(
      `select json_agg(format(statement, ?::text, current_schema())) as statements
         from json_array_elements_text(?::json) as list (statement)`,
      [login, JSON.stringify(known.member ? grants : [...grants, `grant ${tenantRole} to %1$I`])],
      'get',
    );
    for (const statement of statements) await em.execute(statement);
  });
}

/**
 * Sets `statement_timeout` for the login of `orm` in this database, unless it has one. Unlike a session setting, this also
 * works behind a pooler. A login can only change its own settings, so the owner cannot do this.
 */
export async function setStatementTimeout(orm: Orm, milliseconds: number): Promise<void> {
  await orm.em.fork().execute(`do $$ begin
    if current_setting('statement_timeout') = '0' then
      perform pg_advisory_xact_lock(${privilegesLock});
      execute format('alter role %I in database %I set statement_timeout = ${milliseconds}', current_user, current_database());
    end if;
  end $$`);
}

/** Matches the errors of all supported PostgreSQL versions for a login that is not allowed to create or grant a role. */
const missingRoleErrors = /^(permission denied to (create|grant) role|must have admin option on role)/;

/**
 * Explains how an administrator grants the tenant role to `login`, if the error is about missing privileges.
 * The returned function always throws: the explanation, or any other error unchanged.
 */
export function explainMissingRole(login: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error && missingRoleErrors.test(error.message))) throw error;
    const [reason] = error.message.split('\n');
    throw new Error(
      `${reason}. The login ${login} must be a member of the role ${tenantRole}. ` +
        `As an administrator of the database server, run \`create role ${tenantRole} nologin nosuperuser nobypassrls;\` ` +
        `if the role does not exist, and \`grant ${tenantRole} to "${login}";\`. Then start again.`,
      { cause: error },
    );
  };
}
