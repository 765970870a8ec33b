import type { Orm } from './orm.ts';
import { tenantRole } from './tenant.ts';

/** What a login needs that serves: the functions, its sessions, and what it writes down. Everything else it does as the tenant role. */
const rights = [
  `grant select, insert, update, delete on sessions to %1$I`,
  `grant insert on audit_events to %1$I`,
  `grant usage on sequence audit_events_position_seq to %1$I`,
  `grant select on schema_migrations to %1$I`,
  `grant execute on all functions in schema %2$I to %1$I`,
  `grant usage on schema %2$I to %1$I`,
];

/**
 * Gives `login`, which owns nothing, what it needs to serve, and nothing more; the owner does this after each migration.
 * @throws where the login does not exist, or the owner may not grant it the tenant role
 */
export async function grantServing(orm: Orm, login: string): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
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
