import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { tenantRights, tenantRole } from '../../../server/database/tenant.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { ask, newcomer, refusal } from './scenes.ts';

/** What only the migrations have: keys, because the entities name rows of other tables by their ids, and functions. */
const onlyInTheMigrations = [
  'drop policy "chat_messages_owner_policy" on "chat_messages";',
  'alter table "chat_messages" drop constraint "chat_messages_conversation_foreign";',
  'drop policy "conversations_owner_policy" on "conversations";',
  'alter table "conversations" drop constraint "conversations_membership_foreign";',
  'drop policy "engagement_states_owner_policy" on "engagement_states";',
  'alter table "engagement_states" drop constraint "engagement_states_membership_foreign";',
  'alter table "identities" drop constraint "identities_user_id_foreign";',
  'alter table "invitations" drop constraint "invitations_joins_foreign";',
  'alter table "invitations" drop constraint "invitations_used_by_foreign";',
  'drop policy "memberships_owner_policy" on "memberships";',
  'alter table "memberships" drop constraint "memberships_org_id_foreign";',
  'alter table "memberships" drop constraint "memberships_user_id_foreign";',
  'drop policy "organizations_owner_policy" on "organizations";',
  'alter table "sessions" drop constraint "sessions_user_id_foreign";',
  'drop policy "token_uses_owner_policy" on "token_uses";',
  'alter table "token_uses" drop constraint "token_uses_membership_foreign";',
  'drop policy "users_owner_policy" on "users";',
  'alter table "users" drop constraint "users_membership_foreign";',
  'drop trigger if exists "sessions_person" on "sessions";',
  'drop function if exists "sessions_sessions_person_fn"();',
  'drop function if exists "begin_session"(text, json, double precision);',
  `drop function if exists "close_turn"(${Array(6).fill('text').join(', ')}, ${Array(4).fill('integer').join(', ')}, ${Array(4).fill('text').join(', ')}, integer);`,
  `drop function if exists "end_sessions"(${Array(4).fill('text').join(', ')});`,
  'drop function if exists "find_session"(text, double precision);',
  `drop function if exists "join_organization"(${Array(6).fill('text').join(', ')});`,
  `drop function if exists "open_turn"(${Array(8).fill('text').join(', ')}, integer, bigint, bigint);`,
  'drop function if exists "prune_conversations"(timestamp with time zone, integer, text);',
  'drop function if exists "settle_turn"(text, text, integer);',
  `drop function if exists "sign_in"(${[...Array(4).fill('text'), 'boolean', 'text', 'boolean', ...Array(5).fill('text')].join(', ')});`,
];

describe('the migrated schema', () => {
  let averysConversation: string;
  let caseysConversation: string;

  const storage = ofSuite(() => createTestDatabase());
  const avery = ofSuite(() => newcomer(storage, 'Avery'));
  const casey = ofSuite(() => newcomer(storage, 'Casey'));
  before(async () => {
    averysConversation = (await ask(storage, avery)).conversationId;
    caseysConversation = (await ask(storage, casey)).conversationId;
  });

  /** What would bring the schema to what the entities say, policies included. */
  const difference = async () => {
    const sql = await storage.orm.schema.getUpdateSchemaSQL();
    return sql.split('\n').filter((line) => line !== '' && !line.startsWith('set names'));
  };

  it('is what the entities say, policies included, but for what only the migrations have', async () => {
    expect(await difference()).to.deep.equal(onlyInTheMigrations);
  });

  it('lets nobody but the owner across organizations, and the owner only where a transaction says so', async () => {
    const policies = await storage.rows(
      `select polrelid::regclass::text as table, pg_get_expr(polqual, polrelid) as condition
         from pg_policy where polname not like '%_tenant_policy' order by 1`,
    );
    expect(policies.map((policy) => policy.table)).to.deep.equal([
      'chat_messages',
      'conversations',
      'engagement_states',
      'memberships',
      'organizations',
      'token_uses',
      'users',
    ]);
    for (const { table, condition } of policies) {
      expect(String(condition).replaceAll(/\s+/g, ' '), String(table)).to.equal(
        `((current_setting('advisory_chat.across_tenants'::text, true) = 'yes'::text) AND (CURRENT_USER = ` +
          `( SELECT pg_get_userbyid(pg_class.relowner) AS pg_get_userbyid FROM pg_class ` +
          `WHERE (pg_class.oid = ('${table}'::regclass)::oid))))`,
      );
    }
  });

  it('has functions that pin their search path, and that nobody may call who was not granted it', async () => {
    const functions = await storage.rows(
      `select proname, proconfig::text as config, has_function_privilege('public', oid, 'execute') as public
         from pg_proc where pronamespace = 'public'::regnamespace order by proname`,
    );
    expect(functions.length).to.be.at.least(6);
    for (const { proname, config, public: everybody } of functions) {
      expect(String(config), String(proname)).to.include('search_path=public, pg_temp');
      expect(everybody, String(proname)).to.equal(false);
    }
  });

  it('has a tenant role that cannot bypass row-level security', async () => {
    const [role] = await storage.rows(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcanlogin,
              (select count(*)::int from pg_class where relowner = role.oid) as owned,
              (select count(*)::int from pg_auth_members where member = role.oid) as memberships
         from pg_roles role where rolname = ?`,
      [tenantRole],
    );
    expect(role).to.deep.equal({
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcanlogin: false,
      owned: 0,
      memberships: 0,
    });
  });

  it('gives the tenant role these rights and no others', async () => {
    const rights = await storage.rows(
      `select table_name || ': ' || string_agg(lower(privilege_type), ', ' order by privilege_type) as rights
         from information_schema.role_table_grants
        where grantee in (?, 'PUBLIC') and table_schema = 'public' group by table_name order by table_name`,
      [tenantRole],
    );
    expect(rights.map((row) => row.rights)).to.deep.equal(
      Object.entries(tenantRights).map(([table, granted]) => `${table}: ${granted}`),
    );
  });

  it('has row-level security that holds for the owner too on each table of an organization', async () => {
    const open = await storage.rows(
      `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
          and not (relrowsecurity and relforcerowsecurity)
          and (relname = 'organizations' or exists (select from pg_attribute where attrelid = oid and attname = 'org_id'))`,
    );
    expect(open).to.deep.equal([]);
  });

  describe('keeps a row and what it belongs to in one organization', () => {
    const insertMessage = (orgId: string, userId: string, conversationId: string) =>
      storage.rows(
        `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id)
         values ('planted', ?, ?, ?, 'USER', 'Planted', 'request')`,
        [orgId, userId, conversationId],
      );
    const attempts: Record<string, [string, () => Promise<unknown>]> = {
      "a message in another organization's conversation": [
        'chat_messages_conversation_foreign',
        () => insertMessage(avery.orgId, avery.userId, caseysConversation),
      ],
      "a message of another organization's user": [
        'chat_messages_conversation_foreign',
        () => insertMessage(avery.orgId, casey.userId, averysConversation),
      ],
      'a message under another organization than its conversation': [
        'chat_messages_conversation_foreign',
        () => insertMessage(casey.orgId, avery.userId, averysConversation),
      ],
      'a conversation of somebody who does not belong to the organization': [
        'conversations_membership_foreign',
        () =>
          storage.rows(`insert into conversations (id, org_id, user_id) values ('planted', ?, ?)`, [
            casey.orgId,
            avery.userId,
          ]),
      ],
      'an engagement state of somebody who does not belong to the organization': [
        'engagement_states_membership_foreign',
        () =>
          storage.rows(`insert into engagement_states values (?, ?, 1, null, '[]', '[]', '[]')`, [
            avery.userId,
            casey.orgId,
          ]),
      ],
      'a user moved to an organization that they do not belong to': [
        'users_membership_foreign',
        () => storage.rows('update users set org_id = ? where id = ?', [casey.orgId, avery.userId]),
      ],
    };
    for (const [attempt, [constraint, make]] of Object.entries(attempts)) {
      it(`and refuses ${attempt}`, async () => {
        expect((await refusal(make())).message).to.contain(`violates foreign key constraint "${constraint}"`);
      });
    }
  });
});
