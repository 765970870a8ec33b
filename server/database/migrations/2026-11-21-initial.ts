import { Migration } from '@mikro-orm/migrations';
import { tenantRole } from '../tenant.ts';

/** Tables with the tenant policy, and the privileges of the tenant role on them. */
const tenantTables = {
  organizations: { column: 'id', rights: 'select, update' },
  users: { column: 'org_id', rights: 'select, update' },
  memberships: { column: 'org_id', rights: 'select' },
  engagement_states: { column: 'org_id', rights: 'select, insert, update' },
  conversations: { column: 'org_id', rights: 'select, insert, update' },
  // Messages are immutable.
  chat_messages: { column: 'org_id', rights: 'select, insert' },
};

export class InitialMigration extends Migration {
  override up(): void {
    this.addSql(`create table organizations (
      id text primary key,
      name text not null,
      industry text,
      size text,
      created_at timestamptz not null default now()
    )`);
    this.addSql(`create table users (
      id text primary key,
      org_id text not null constraint users_org_id_foreign references organizations (id),
      name text,
      email text,
      role text,
      onboarded_at timestamptz,
      created_at timestamptz not null default now()
    )`);
    this.addSql('create index users_org_id_index on users (org_id)');

    this.addSql(`create table memberships (
      user_id text not null constraint memberships_user_id_foreign references users (id) on delete cascade,
      org_id text not null constraint memberships_org_id_foreign references organizations (id),
      created_at timestamptz not null default now(),
      primary key (user_id, org_id)
    )`);
    // Requires a membership in the user's current organization. Deferred, because the two rows reference each other.
    this.addSql(`alter table users add constraint users_membership_foreign
      foreign key (id, org_id) references memberships (user_id, org_id) deferrable initially deferred`);

    this.addSql(`create table identities (
      provider text not null,
      subject text not null,
      user_id text not null constraint identities_user_id_foreign references users (id) on delete cascade,
      created_at timestamptz not null default now(),
      primary key (provider, subject)
    )`);
    this.addSql('create index identities_user_id_index on identities (user_id)');

    this.addSql(`create table engagement_states (
      user_id text not null,
      org_id text not null,
      week int not null,
      focus text,
      hypotheses jsonb not null,
      unknowns jsonb not null,
      findings jsonb not null,
      updated_at timestamptz not null default now(),
      primary key (user_id, org_id),
      constraint engagement_states_membership_foreign
        foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
    )`);

    this.addSql(`create table conversations (
      id text primary key,
      org_id text not null,
      user_id text not null,
      status text not null default 'ACTIVE' constraint conversations_status_check check (status in ('ACTIVE', 'ARCHIVED')),
      last_message_at timestamptz,
      created_at timestamptz not null default now(),
      constraint conversations_owner_unique unique (id, user_id, org_id),
      constraint conversations_membership_foreign
        foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
    )`);
    this.addSql('create index conversations_user_id_org_id_index on conversations (user_id, org_id)');

    this.addSql(`create table chat_messages (
      id text primary key,
      position bigserial not null,
      org_id text not null,
      user_id text not null,
      conversation_id text not null,
      role text not null constraint chat_messages_role_check check (role in ('USER', 'ASSISTANT')),
      content text not null,
      request_id text not null,
      input_tokens int,
      output_tokens int,
      cache_read_tokens int,
      cache_create_tokens int,
      stop_reason text,
      model text,
      prompt_version text,
      created_at timestamptz not null default now(),
      constraint chat_messages_conversation_foreign foreign key (conversation_id, user_id, org_id)
        references conversations (id, user_id, org_id) on delete cascade
    )`);
    this.addSql(
      'create index chat_messages_conversation_id_position_index on chat_messages (conversation_id, position)',
    );

    this.addSql(`create table sessions (sid text primary key, sess json not null, expire timestamptz not null)`);
    this.addSql('create index sessions_expire_index on sessions (expire)');

    this.addTenantRole();
    for (const [table, { column, rights }] of Object.entries(tenantTables)) {
      this.addSql(`alter table ${table} enable row level security`);
      this.addSql(`create policy ${table}_tenant_policy on ${table}
        using (${column} = current_setting('advisory_chat.org_id'))`);
      this.addSql(`grant ${rights} on ${table} to ${tenantRole}`);
    }
    this.addSql(`grant usage on sequence chat_messages_position_seq to ${tenantRole}`);
  }

  /**
   * Roles are shared by all databases of a cluster, so another migration can have created this one, or create it concurrently.
   * If the login may not create roles, an administrator creates it first and grants it to the login.
   * Since PostgreSQL 16, the creator of a role is a member of it, but can only set it after granting itself that option.
   */
  private addTenantRole(): void {
    this.addSql(`do $$
      declare
        settable text := case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end;
      begin
        if not exists (select from pg_roles where rolname = '${tenantRole}') then
          begin
            create role ${tenantRole} nologin nosuperuser nobypassrls;
          exception when duplicate_object or unique_violation then null;
          end;
        end if;
        if not pg_has_role(current_user, '${tenantRole}', settable) then
          begin
            grant ${tenantRole} to current_user;
          exception when unique_violation then null;
          end;
        end if;
        execute format('grant usage on schema %I to ${tenantRole}', current_schema());
      end $$`);
  }
}
