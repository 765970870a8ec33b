import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { type Database, openAdministration, openDatabase } from '../../../server/database/database.ts';
import { type Orm, openOrm } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { acrossOrganizations } from '../../../server/database/transactions.ts';
import { collected } from '../../support/collected.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestApp, post, question, type TestApp } from '../../support/test-app.ts';
import { onServer } from '../../support/test-database.ts';
import { createEmptyDatabase, createServerUser } from './empty-database.ts';
import { refusal } from './scenes.ts';

const silent = pino({ level: 'silent' });

/** A database whose owner is no superuser, and a login that owns nothing and serves. */
describe('the login that serves, apart from the one that owns', () => {
  let opened: AsyncDisposableStack;
  let urls: { owner: string; serving: string };
  let database: Database;
  let owner: Orm;
  let serving: Orm;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    const server = required(testDatabaseUrl);
    // As an administrator makes it beforehand, for an owner who may create no roles.
    await onServer(
      server,
      `do $$ begin create role ${tenantRole} nologin nosuperuser nobypassrls; exception when duplicate_object then null; end $$`,
    );
    const ownerUser = opened.use(await createServerUser(''));
    const servingUser = opened.use(await createServerUser('noinherit'));
    await onServer(server, `grant ${tenantRole} to ${ownerUser.name} with admin option`);
    const empty = opened.use(await createEmptyDatabase(ownerUser.name));
    urls = { owner: ownerUser.urlOf(empty.url), serving: servingUser.urlOf(empty.url) };
    database = await openDatabase({ kind: 'postgresql', url: urls.serving, ownerUrl: urls.owner }, silent);
    opened.defer(database.close);
    owner = await openOrm({ kind: 'postgresql', url: urls.owner }, silent);
    opened.defer(() => owner.close(true));
    serving = await openOrm({ kind: 'postgresql', url: urls.serving }, silent);
    opened.defer(() => serving.close(true));
  });
  afterEach(() => opened.disposeAsync());

  async function openApp(options: { tokensPerDay?: { user: number; organization: number } } = {}): Promise<TestApp> {
    const { administration, close } = await openAdministration(
      { kind: 'postgresql', url: urls.serving, ownerUrl: urls.owner },
      silent,
      'operator of the tests',
    );
    opened.defer(close);
    const rows = (sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> =>
      acrossOrganizations(owner, (em) => em.execute(sql, parameters));
    const storage = {
      orm: serving,
      database,
      administration,
      rows,
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    const app = await createTestApp({ shared: { storage }, replyWatchMilliseconds: 5, ...options });
    opened.defer(app.close);
    return app;
  }

  it('serves everything: sign-in, onboarding, replies, conversations, sign-out on all devices', async () => {
    const app = await openApp();
    const avery = await app.person();
    const first = await app.live(avery, question());
    expect(first.status).to.equal(200);
    await first.text();
    const conversationId = first.headers.get('X-Conversation-Id');
    const again = await app.live(avery, { ...question('And then?'), conversationId });
    await again.text();
    expect(again.headers.get('X-Conversation-Id')).to.equal(conversationId);
    expect((await app.storage.rows('select id from chat_messages')).length).to.equal(4);
    expect((await avery.browser.request('/auth/sign-out-everywhere', { method: 'POST' })).status).to.equal(204);
    expect((await app.live(avery, question())).status).to.equal(401);
    const [trail] = await app.storage.rows('select json_agg(action order by position) as actions from audit_events');
    expect(trail?.actions).to.deep.equal(['signed-up', 'onboarded', 'signed-out-everywhere']);
  });

  it('lets a person join another organization', async () => {
    const app = await openApp();
    const avery = await app.person();
    const { user: host } = await app.person({ who: 'blake@example.com' });
    const organization = host.organization.id;
    const { token: invitation } = await app.storage.administration.invite({ days: 1, organization });
    const named = { from: avery.user.organization.id, to: organization };
    const send = (body: object) => post(`${app.url}/auth/join`, body, { Cookie: avery.cookie });
    expect((await send({ invitation })).status).to.equal(200);
    expect((await send({ invitation, ...named })).status).to.equal(204);
  });

  it('counts turns against budgets, and shows the owner what is left', async () => {
    const app = await openApp({ tokensPerDay: { user: 1, organization: 1000 } });
    const avery = await app.person();
    await (await app.live(avery, question())).text();
    expect((await app.live(avery, question())).status).to.equal(429);
    app.provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } });
    await app.storage.rows('update token_uses set tokens = 0');
    expect((await app.live(avery, question())).status).to.equal(503);
    expect(await app.storage.rows('select settled from token_uses')).to.deep.equal([
      { settled: true },
      { settled: true },
    ]);
    await app.storage.rows('update token_uses set tokens = 7');
    expect(await app.storage.administration.tokensUsed('user_id', [avery.user.id])).to.deep.equal([
      { orgId: avery.user.organization.id, userId: avery.user.id, tokens: 14 },
    ]);
  });

  it('leaves the operator every command, over the login that owns', async () => {
    const app = await openApp();
    const { user } = await app.person();
    const { administration } = app.storage;
    expect((await collected(administration.listUsers())).flat().map(({ id }) => id)).to.deep.equal([user.id]);
    await administration.setEngagementState(user.id, { week: 2, hypotheses: [], unknowns: [], findings: [] });
    expect(await administration.engagementState(user.id)).to.include({ week: 2 });
    await administration.suspendUser(user.id);
    await administration.restoreUser(user.id);
    await administration.invite({ days: 1, organization: user.organization.id });
    await administration.deleteUser(user.id, { block: true });
    expect(await collected(administration.listUsers())).to.deep.equal([]);
    expect(await collected(administration.listOrganizations())).to.deep.equal([]);
  });

  it('owns nothing and can become nobody but the tenant role', async () => {
    const em = serving.em.fork();
    const [facts] = await em.execute(
      `select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls,
              (select count(*)::int from pg_class where relowner = role.oid) as owned,
              (select json_agg(granted.rolname) from pg_auth_members join pg_roles granted on granted.oid = roleid
                where member = role.oid) as roles
         from pg_roles role where rolname = current_user`,
    );
    expect(facts).to.deep.equal({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolbypassrls: false,
      owned: 0,
      roles: [tenantRole],
    });
  });

  const tables = [
    ...['organizations', 'users', 'memberships', 'conversations', 'chat_messages', 'engagement_states'],
    ...['token_uses', 'repeated_turns', 'identities', 'invitations', 'blocked_accounts', 'audit_events'],
  ];
  for (const table of tables) {
    it(`may do nothing with ${table} by itself${table === 'audit_events' ? ' but add to it' : ''}`, async () => {
      const rights = await serving.em.fork().execute(
        `select privilege from unnest(string_to_array('select insert update delete truncate references trigger', ' ')) as all_of (privilege)
          where has_table_privilege(?, privilege)`,
        [table],
      );
      const expected = table === 'audit_events' ? [{ privilege: 'insert' }] : [];
      expect(rights).to.deep.equal(expected);
      await refusal(serving.em.fork().execute(`select from ${table}`));
      const error = await refusal(serving.em.fork().execute(`drop table ${table}`));
      expect(error.message).to.include('must be owner of table');
    });
  }

  it('cannot change the schema, a function or a policy', async () => {
    for (const statement of [
      'create table planted ()',
      'create or replace function find_session(text, double precision) returns json language sql as $$ select null $$',
      'drop policy users_tenant_policy on users',
      'alter table users no force row level security',
      'alter role current_user superuser',
    ]) {
      const error = await refusal(serving.em.fork().execute(statement));
      expect(error.message, statement).to.match(/permission denied|must be owner|must be superuser|Only roles with/i);
    }
  });

  it('is not served by functions of its own search path', async () => {
    const app = await openApp();
    await app.person();
    const error = await refusal(
      serving.em.fork().transactional(async (em) => {
        await em.execute('create temporary table sessions (sid text, sess json, expire timestamptz, user_id text)');
        await em.execute("insert into sessions values ('planted', '{}', now() + interval '1 hour', null)");
        const [row] = await em.execute("select find_session('planted', 0) as found");
        throw new Error(`found: ${row?.found}`);
      }),
    );
    expect(error.message).to.equal('found: null');
  });

  it('shows the owner nothing either, unless a transaction says that it crosses organizations', async () => {
    const app = await openApp();
    await app.person();
    for (const table of [
      'organizations',
      'users',
      'memberships',
      'conversations',
      'chat_messages',
      'engagement_states',
      'token_uses',
    ]) {
      const error = await refusal(owner.em.fork().execute(`select from ${table}`));
      expect(error.message, table).to.equal('unrecognized configuration parameter "advisory_chat.org_id"');
    }
    expect(await acrossOrganizations(owner, (em) => em.execute('select id from users'))).to.have.length(1);
  });

  it('does not start where the login does not exist', async () => {
    const url = new URL(urls.serving);
    url.username = 'nobody_of_this_name';
    const error = await refusal(openDatabase({ kind: 'postgresql', url: url.href, ownerUrl: urls.owner }, silent));
    expect(error.message).to.equal('There is no login nobody_of_this_name, which DATABASE_URL names.');
  });
});
