import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { openDatabase } from '../../../server/database/database.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { checkDatabase } from '../../../server/doctor/checks.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { type AppOnServer, createAppOnServer } from '../../support/app-on-server.ts';
import { startPgBouncer } from '../../support/pgbouncer-process.ts';
import { type Postgres, startPostgres } from '../../support/postgres-process.ts';
import { defaultReply } from '../../support/scripted-provider.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { question } from '../../support/test-app.ts';
import { refusal } from '../database/scenes.ts';

/** All connections use the pooler, including those of migrations and of the operator's commands. */
describe('the service behind PgBouncer in transaction mode with default settings', () => {
  let opened: AsyncDisposableStack;
  let postgres: Postgres;
  let app: AppOnServer;
  let url: string;

  before(async () => {
    opened = new AsyncDisposableStack();
    const directory = await temporaryDirectory();
    opened.defer(directory.remove);
    postgres = await startPostgres(directory.path);
    opened.defer(postgres.stop);
    await postgres.query(`create role ${tenantRole} nologin`);
    await postgres.query(`create role owner login`);
    await postgres.query(`create role serving login noinherit`);
    await postgres.query(`grant ${tenantRole} to owner with admin option`);
    await postgres.query('grant all on schema public to owner');
    // The pooler refuses session settings.
    await postgres.query(`alter database postgres set datestyle = 'German'`);
    await postgres.query('alter database postgres set row_security = off');
    await postgres.query('create role serializing login noinherit');
    await postgres.query(`alter role serializing set default_transaction_isolation = 'serializable'`);
    // The pooler has fewer connections to the server than the service has to it, so consecutive transactions share them.
    const pooler = await startPgBouncer(directory.path, postgres, {
      users: ['serving', 'owner', 'serializing'],
      settings: { default_pool_size: '3' },
    });
    opened.defer(pooler.stop);
    url = pooler.url;
    app = await createAppOnServer(pooler.url, { ownerUrl: pooler.url.replace('serving@', 'owner@') });
    opened.defer(app.close);
  });
  after(() => opened.disposeAsync());

  it('lets the self-check recognize the pooler and count the connections to it', async () => {
    const findings = await checkDatabase(loadConfig({ DATABASE_URL: url }), createLogger({ level: 'silent' }));
    const update = findings.find(({ text }) => text.startsWith('An update'));
    expect(update?.outcome).to.equal('ok');
    expect(update?.text).to.include('40 connections').and.include('to the pooler. ');
  });

  it('does not start with serializable transactions, which only the login or the database can change', async () => {
    const settings = {
      kind: 'postgresql',
      url: url.replace('serving@', 'serializing@'),
      ownerUrl: url.replace('serving@', 'owner@'),
    } as const;
    expect((await refusal(openDatabase(settings, createLogger({ level: 'silent' })))).message).to.equal(
      'The setting default_transaction_isolation is serializable. As an administrator of the database server, run ' +
        '`alter role "serializing" in database "postgres" set default_transaction_isolation = \'read committed\';`.',
    );
  });

  it('signs users in, onboards them, and signs them out', async () => {
    const avery = await app.person();
    expect(avery.user).to.include({ onboarded: true });
    expect((await avery.browser.request('/auth/sign-out-everywhere', { method: 'POST' })).status).to.equal(204);
    expect((await app.live(avery, question())).status).to.equal(401);
  });

  it('stores every concurrent turn exactly once, in the conversation of its user', async () => {
    const people = await Promise.all([
      app.person({ who: 'blake@example.com' }),
      app.person({ provider: 'github', who: 'casey-example' }),
      app.person({ provider: 'microsoft', who: 'drew@example.com' }),
    ]);
    const turns = people.flatMap((person) => Array.from({ length: 10 }, (_, index) => ({ person, index })));
    await Promise.all(
      turns.map(async ({ person, index }) => {
        const first = await app.live(person, question(`First ${index}?`));
        expect(await first.text()).to.equal(defaultReply.text);
        const conversationId = first.headers.get('X-Conversation-Id');
        const second = await app.live(person, { ...question(`Second ${index}?`), conversationId });
        expect(await second.text()).to.equal(defaultReply.text);
        expect(second.headers.get('X-Conversation-Id')).to.equal(conversationId);
      }),
    );
    const stored = await postgres.query<string[]>(`select json_agg(content order by position)
      from chat_messages group by conversation_id, user_id, org_id`);
    const conversations = turns.map(({ index }) => [
      `First ${index}?`,
      defaultReply.text,
      `Second ${index}?`,
      defaultReply.text,
    ]);
    expect(stored).to.have.deep.members(conversations);
  });

  it('leaves no role and no organization on a connection after a transaction', async () => {
    const { em } = app.storage.orm;
    const seen = await Promise.all(
      Array.from({ length: 6 }, () =>
        em
          .fork()
          .execute(`select current_user::text as role, current_setting('advisory_chat.org_id', true) as organization,
          pg_sleep(0.02)::text`),
      ),
    );
    for (const [row] of seen) {
      expect(row).to.include({ role: 'serving' });
      expect(row?.organization).to.be.oneOf([null, '']);
    }
  });
});
