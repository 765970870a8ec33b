import { codeOf, sqlStates } from '../../postgres/sql-states.ts';
import type { Orm } from '../orm.ts';
import { tenantRole } from '../tenant.ts';
import { functionSignatures } from './functions.ts';
import { beginStep, stepsTable } from './migrations.ts';

/**
 * The serving login's own table privileges, besides reading the list of migrations. It uses other tables as the tenant role or
 * through database functions.
 */
export const servingPrivileges = { sessions: 'select, insert, update, delete', audit_events: 'insert' };

const grants = [
  ...Object.entries(servingPrivileges).map(([table, granted]) => `grant ${granted} on ${table} to %1$I`),
  'grant usage on sequence audit_events_position_seq to %1$I',
  `grant select on ${stepsTable} to %1$I`,
  ...functionSignatures.map((signature) => `grant execute on function ${signature} to %1$I`),
  'grant usage on schema %2$I to %1$I',
];

/** The key of an advisory lock. PostgreSQL fails if two transactions change the same privileges concurrently. */
const privilegesLock = 5_212_082;

/**
 * Grants `login`, which owns no tables, the minimal privileges for serving requests. The owner does this after each migration.
 * @throws Error if the login does not exist, or if the owner is not allowed to grant it the tenant role
 */
export async function grantServingPrivileges(orm: Orm, login: string): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    await em.execute(beginStep);
    // A transaction with the lock is short, so no limit of the database or the login should end the wait for it.
    await em.execute('set local lock_timeout = 0');
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
      perform set_config('lock_timeout', '0', true);
      perform pg_advisory_xact_lock(${privilegesLock});
      execute format('alter role %I in database %I set statement_timeout = ${milliseconds}', current_user, current_database());
    end if;
  end $$`);
}

/**
 * Explains how an administrator grants the tenant role to `login`, if privileges are missing and the login is not a member of it.
 * The error's text does not identify the role reliably, because servers translate it. The returned function always throws: the
 * explanation, or any other error unchanged.
 */
export function explainMissingRole(orm: Orm, login: string): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof Error) || codeOf(error) !== sqlStates.insufficientPrivilege) throw error;
    const members = await orm.em
      .fork()
      .execute('select 1 from pg_roles where rolname = ? and pg_has_role(?, oid, ?)', [tenantRole, login, 'member']);
    if (members.length > 0) throw error;
    const [reason] = error.message.split('\n');
    throw new Error(
      `${reason}. The login ${login} must be a member of the role ${tenantRole}. ` +
        `As an administrator of the database server, run \`create role ${tenantRole} nologin nosuperuser nobypassrls;\` ` +
        `if the role does not exist, and \`grant ${tenantRole} to "${login}";\`. Then start again.`,
      { cause: error },
    );
  };
}
