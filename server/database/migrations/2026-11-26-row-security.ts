import { SteppedMigration } from './steps.ts';

/** The tenant tables of the first migration. */
const tenantTables = ['organizations', 'users', 'memberships', 'engagement_states', 'conversations', 'chat_messages'];

/**
 * Applies row-level security to the tables' owner too, so that the service can use a login that owns nothing. The owner has
 * access to one organization, as the tenant role does, or to all if a transaction sets a variable. The functions set it, so this
 * runs after them. It was originally part of `2026-11-22-people`, which most databases have already applied.
 */
export class RowSecurityMigration extends SteppedMigration {
  override async up(): Promise<void> {
    for (const table of tenantTables) {
      this.addSql(`do $$ begin
        if (select relforcerowsecurity from pg_class where oid = '${table}'::regclass) then return; end if;
        alter table ${table} force row level security;
        create policy ${table}_owner_policy on ${table}
          using (current_setting('advisory_chat.across_tenants', true) = 'yes'
            and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = '${table}'::regclass));
      end $$`);
      await this.step();
    }
  }
}
