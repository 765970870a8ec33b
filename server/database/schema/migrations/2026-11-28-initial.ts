import { tenantRole } from '../../tenant.ts';

/** Tables whose rows each belong to one organization, with the privileges of the tenant role on them. */
const tenantTables = {
  organizations: { column: 'id', rights: 'select, update' },
  users: { column: 'org_id', rights: 'select, update' },
  memberships: { column: 'org_id', rights: 'select' },
  engagement_states: { column: 'org_id', rights: 'select, insert, update' },
  conversations: { column: 'org_id', rights: 'select, insert, update' },
  // Messages are immutable.
  chat_messages: { column: 'org_id', rights: 'select, insert' },
  token_uses: { column: 'org_id', rights: 'select, insert, update, delete' },
  organization_token_sums: { column: 'org_id', rights: 'select, insert, update' },
  member_token_sums: { column: 'org_id', rights: 'select, insert, update' },
};

const organizationsAndUsers = [
  `create table organizations (
    id text primary key,
    name text not null,
    industry text,
    size text,
    created_at timestamptz not null default now()
  )`,
  'create index organizations_created_at_id_index on organizations (created_at, id)',

  `create table users (
    id text primary key,
    org_id text not null constraint users_org_id_foreign references organizations (id),
    name text,
    email text,
    email_verified boolean not null default false,
    role text,
    onboarded_at timestamptz,
    suspended_at timestamptz,
    created_at timestamptz not null default now()
  )`,
  'create index users_org_id_index on users (org_id)',
  'create index users_created_at_id_index on users (created_at, id)',

  `create table memberships (
    user_id text not null constraint memberships_user_id_foreign references users (id) on delete cascade,
    org_id text not null constraint memberships_org_id_foreign references organizations (id),
    created_at timestamptz not null default now(),
    primary key (user_id, org_id)
  )`,
  // Without this index, deleting or exporting an organization, and deleting a user, would scan all memberships.
  'create index memberships_org_id_user_id_index on memberships (org_id, user_id)',
  // Requires a membership in the user's current organization. Deferred, because the two rows reference each other.
  `alter table users add constraint users_membership_foreign
    foreign key (id, org_id) references memberships (user_id, org_id) deferrable initially deferred`,

  `create table engagement_states (
    user_id text not null,
    org_id text not null,
    week int not null constraint engagement_states_week_check check (week >= 1),
    focus text,
    hypotheses jsonb not null constraint engagement_states_hypotheses_check check (jsonb_typeof(hypotheses) = 'array'),
    unknowns jsonb not null constraint engagement_states_unknowns_check check (jsonb_typeof(unknowns) = 'array'),
    findings jsonb not null constraint engagement_states_findings_check check (jsonb_typeof(findings) = 'array'),
    updated_at timestamptz not null default now(),
    primary key (user_id, org_id),
    constraint engagement_states_membership_foreign
      foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
  )`,
];

const signIn = [
  `create table identities (
    provider text not null,
    subject text not null,
    user_id text not null constraint identities_user_id_foreign references users (id) on delete cascade,
    created_at timestamptz not null default now(),
    primary key (provider, subject)
  )`,
  'create index identities_user_id_index on identities (user_id)',

  `create table invitations (
    id text primary key,
    token_hash text not null constraint invitations_token_hash_unique unique,
    joins text constraint invitations_joins_foreign references organizations (id) on delete cascade,
    note text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    used_by text constraint invitations_used_by_foreign references users (id) on delete set null
  )`,
  'create index invitations_joins_index on invitations (joins)',
  'create index invitations_used_by_index on invitations (used_by)',
  'create index invitations_created_at_id_index on invitations (created_at, id)',

  // Stores only a hash of the account, because the row remains after the user is deleted.
  `create table blocked_accounts (
    account_hash text primary key,
    created_at timestamptz not null default now()
  )`,

  `create table sessions (
    sid text primary key,
    sess json not null,
    expire timestamptz not null,
    user_id text not null constraint sessions_user_id_foreign references users (id) on delete cascade
  )`,
  'create index sessions_expire_index on sessions (expire)',
  'create index sessions_user_id_index on sessions (user_id)',
];

const conversations = [
  `create table conversations (
    id text primary key,
    org_id text not null,
    user_id text not null,
    status text not null default 'ACTIVE' constraint conversations_status_check check (status in ('ACTIVE', 'ARCHIVED')),
    last_message_at timestamptz,
    created_at timestamptz not null default now(),
    constraint conversations_owner_unique unique (id, user_id, org_id),
    constraint conversations_membership_foreign
      foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
  )`,
  'create index conversations_user_id_id_index on conversations (user_id, id)',
  'create index conversations_created_at_id_index on conversations (created_at, id)',

  `create table chat_messages (
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
  )`,
  'create index chat_messages_conversation_id_position_index on chat_messages (conversation_id, position)',
  requestIdIndex('chat_messages'),
];

const tokenUses = [
  `create table token_uses (
    id text primary key,
    org_id text not null,
    user_id text not null,
    tokens int not null,
    settled boolean not null default false,
    used_at timestamptz not null,
    constraint token_uses_membership_foreign
      foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
  )`,
  `create index token_uses_user_id_org_id_used_at_index
    on token_uses (user_id, org_id, used_at) include (tokens)`,
  'create index token_uses_org_id_used_at_index on token_uses (org_id, used_at) include (tokens)',
  // Each turn with a budget queries the unsettled rows. Usually, only turns in flight have one.
  'create index token_uses_unsettled_index on token_uses (org_id, used_at) where not settled',
];

/**
 * The deletion of a membership cascades in the order of the constraints: to the member's sum after the uses, as turns lock them.
 * The trigger of the uses updates both sums, and only the deletion of an organization deletes its sum.
 */
const tokenSums = [
  // Has no foreign key, because its check would lock the organization after the user. A deletion locks them in reverse.
  `create table organization_token_sums (
    org_id text primary key,
    tokens bigint not null
  )`,
  `create table member_token_sums (
    user_id text not null,
    org_id text not null,
    tokens bigint not null,
    primary key (user_id, org_id),
    constraint member_token_sums_membership_foreign
      foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
  )`,
  // The functions step, which follows the migrations, replaces this function.
  `create function count_token_uses() returns trigger language plpgsql as 'begin return null; end'`,
  ...Object.entries({
    insert: 'new table as new_uses',
    update: 'new table as new_uses old table as old_uses',
    delete: 'old table as old_uses',
  }).map(
    ([event, tables]) => `create trigger token_uses_${event}_trigger after ${event} on token_uses
      referencing ${tables} for each statement execute function count_token_uses()`,
  ),
];

const auditEvents = [
  `create table audit_events (
    position bigserial primary key,
    created_at timestamptz not null default now(),
    action text not null,
    actor text,
    subject text,
    address_hash text,
    request_id text,
    details jsonb
  )`,
  'create index audit_events_subject_position_index on audit_events (subject, position)',
  'create index audit_events_created_at_index on audit_events (created_at)',
  requestIdIndex('audit_events'),
];

/**
 * All databases of a cluster share their roles, so another migration may have created this role, or create it concurrently.
 * If the login is not allowed to create roles, an administrator creates the role first and grants it to the login. Since
 * PostgreSQL 16, the creator of a role is a member of it but cannot set it without granting it to itself.
 */
const roleOfTenants = [
  `do $$
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
    end $$`,
];

/**
 * Row-level security applies to the owner of the tables too. Like the tenant role, the owner has access to one organization.
 * Unlike it, the owner has access to all of them in a transaction that sets a variable.
 */
const rowLevelSecurity = [
  ...Object.entries(tenantTables).flatMap(([table, { column, rights }]) => [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy ${table}_tenant_policy on ${table}
      using (${column} = current_setting('advisory_chat.org_id'))`,
    `create policy ${table}_owner_policy on ${table}
      using (current_setting('advisory_chat.across_tenants', true) = 'yes'
        and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = '${table}'::regclass))`,
    `grant ${rights} on ${table} to ${tenantRole}`,
  ]),
  `grant usage on sequence chat_messages_position_seq to ${tenantRole}`,
  `grant insert on audit_events to ${tenantRole}`,
  `grant usage on sequence audit_events_position_seq to ${tenantRole}`,
];

export const initialMigration = {
  name: '2026-11-28-initial',
  statements: [
    ...organizationsAndUsers,
    ...signIn,
    ...conversations,
    ...tokenUses,
    ...tokenSums,
    ...auditEvents,
    ...roleOfTenants,
    ...rowLevelSecurity,
  ],
};

/** A hash index, because clients choose these ids, and a B-tree rejects values larger than a third of a page. */
function requestIdIndex(table: string): string {
  return `create index ${table}_request_id_index on ${table} using hash (request_id)`;
}
