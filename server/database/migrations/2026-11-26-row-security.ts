import { SteppedMigration } from './steps.ts';

/** Tables whose rows belong to one organization, as the first migration has them. */
const tenantTables = ['organizations', 'users', 'memberships', 'engagement_states', 'conversations', 'chat_messages'];

/**
 * Row security holds for the tables' owner too, so that the service can log in as somebody who owns nothing. The owner sees
 * and writes an organization's rows as the tenant role does, or all of them where a transaction says so. The functions have
 * to say so by then: this comes after them. It was a part of `2026-11-22-people`, which most databases have.
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
