import { Migration } from '@mikro-orm/migrations';
import { tenantRole } from '../tenant.ts';

/** Adds the table `token_uses`: the tokens that each turn counts against the budgets of its user and organization. */
export class BudgetsMigration extends Migration {
  override up(): void {
    this.addSql(`create table token_uses (
      id text primary key,
      org_id text not null,
      user_id text not null,
      tokens int not null,
      settled boolean not null default false,
      used_at timestamptz not null,
      constraint token_uses_membership_foreign
        foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
    )`);
    this.addSql(`create index token_uses_user_id_org_id_used_at_index
      on token_uses (user_id, org_id, used_at) include (tokens)`);
    this.addSql('create index token_uses_org_id_used_at_index on token_uses (org_id, used_at) include (tokens)');
    this.addSql('alter table token_uses enable row level security');
    this.addSql('alter table token_uses force row level security');
    this.addSql(`create policy token_uses_tenant_policy on token_uses
      using (org_id = current_setting('advisory_chat.org_id'))`);
    this.addSql(`create policy token_uses_owner_policy on token_uses
      using (current_setting('advisory_chat.across_tenants', true) = 'yes'
        and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'token_uses'::regclass))`);
    this.addSql(`grant select, insert, update, delete on token_uses to ${tenantRole}`);
  }
}
