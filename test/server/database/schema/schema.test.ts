import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { tenantPrivileges, tenantRole } from '../../../../server/database/tenant.ts';
import { perSuite } from '../../../support/per-suite.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { ask, newcomer, refusal } from '../scenes.ts';

/**
 * Objects that only the migrations define: their table, the owner's policies, functions, triggers, and foreign keys, because entities refer to
 * other rows by id.
 */
const onlyInTheMigrations =
  /^(drop (table if exists "schema_migrations"|policy "\w+_owner_policy"|function|trigger if exists) |alter table "\w+" drop constraint "\w+_foreign";$)/;

describe('the migrated schema', () => {
  let averysConversation: string;
  let caseysConversation: string;

  const storage = perSuite(() => createTestDatabase());
  const avery = perSuite(() => newcomer(storage, 'Avery'));
  const casey = perSuite(() => newcomer(storage, 'Casey'));
  before(async () => {
    averysConversation = (await ask(storage, avery)).conversationId;
    caseysConversation = (await ask(storage, casey)).conversationId;
  });

  it('matches the entities, including policies, except for objects that only the migrations define', async () => {
    const difference = (await storage.orm.schema.getUpdateSchemaSQL()).split('\n').filter(Boolean);
    const others = difference.filter((line) => !line.startsWith('set names') && !onlyInTheMigrations.test(line));
    expect(others).to.deep.equal([]);
  });

  it('has functions with a fixed search path, a lock timeout and no execute privilege for public', async () => {
    const functions = await storage.rows(
      `select proname, proconfig::text as config, has_function_privilege('public', oid, 'execute') as public
         from pg_proc where pronamespace = 'public'::regnamespace order by proname`,
    );
    expect(functions.length).to.be.at.least(6);
    for (const { proname, config, public: everybody } of functions) {
      expect(String(config), String(proname)).to.include('search_path=public, pg_temp').and.include('lock_timeout=10s');
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

  it('grants the tenant role exactly the expected privileges', async () => {
    const rights = await storage.rows(
      `select table_name || ': ' || string_agg(lower(privilege_type), ', ' order by privilege_type) as rights
         from information_schema.role_table_grants
        where grantee in (?, 'PUBLIC') and table_schema = 'public' group by table_name order by table_name`,
      [tenantRole],
    );
    expect(rights.map((row) => row.rights)).to.deep.equal(
      Object.entries(tenantPrivileges).map(([table, granted]) => `${table}: ${granted}`),
    );
  });

  it('forces row-level security, even for the owner, on each table of an organization', async () => {
    const open = await storage.rows(
      `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
          and not (relrowsecurity and relforcerowsecurity)
          and (relname = 'organizations' or exists (select from pg_attribute where attrelid = oid and attname = 'org_id'))`,
    );
    expect(open).to.deep.equal([]);
  });

  describe('restricts references to one organization', () => {
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
      'a conversation of a user who is not a member': [
        'conversations_membership_foreign',
        () =>
          storage.rows(`insert into conversations (id, org_id, user_id) values ('planted', ?, ?)`, [
            casey.orgId,
            avery.userId,
          ]),
      ],
      'an engagement state of a user who is not a member': [
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
      it(`by rejecting ${attempt}`, async () => {
        expect((await refusal(make())).message).to.contain(`violates foreign key constraint "${constraint}"`);
      });
    }
  });
});
