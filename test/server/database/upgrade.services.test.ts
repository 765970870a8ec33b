import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { migrate } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations.ts';
import { type EntityManager, type Orm, openOrm, unhurried } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { createLogger } from '../../../server/http/process/logger.ts';
import { eventually } from '../../support/eventually.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { onServer } from '../../support/test-database.ts';
import { betweenStatements, waitingOrOver } from './between-statements.ts';
import { createEmptyDatabase, createServerUser } from './empty-database.ts';
import { migrateUpTo, openOldRelease } from './old-schema.ts';

/** The last migration of the first release. */
const firstRelease = '2026-11-21-sessions';

const names = migrations.migrationsList.map(({ name }) => name);
const silent = pino({ level: 'silent' });

/** Two people of one organization, with a conversation and a session each, and a visitor who is at a provider. */
const population = [
  `insert into organizations (id, name) values ('o', 'Castings')`,
  `with people as (insert into users (id, org_id, onboarded_at) values ('u1', 'o', now()), ('u2', 'o', now()) returning *)
     insert into memberships (user_id, org_id) select id, org_id from people`,
  `insert into conversations (id, org_id, user_id) values ('c1', 'o', 'u1'), ('c2', 'o', 'u2')`,
  `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id)
     values ('m1', 'o', 'u1', 'c1', 'USER', 'Before?', 'r1')`,
  `insert into sessions (sid, sess, expire) values
     ('s1', '{"userId":"u1"}', 'infinity'), ('s2', '{"userId":"u2"}', 'infinity'),
     ('visitor', '{"returnTo":"/"}', 'infinity'), ('of nobody any more', '{"userId":"u0"}', 'infinity')`,
];

/** Whose session it is, as far as a request is told. */
async function findSession(em: EntityManager, sid: string): Promise<unknown> {
  const [row] = await em.execute<{ found: { person: { id: string } | null } | null }[]>(
    'select find_session(?, extract(epoch from now())::float8) as found',
    [sid],
  );
  return row?.found === null ? 'signed out' : (row?.found.person?.id ?? 'nobody');
}

type Work = (transaction: <T>(work: (em: EntityManager) => Promise<T>) => Promise<T>, key: string) => Promise<unknown>;

/** What the first release sends for a request, in the same transactions, and what it is answered. */
const requests: Record<string, [answer: unknown, work: Work]> = {
  'a request of somebody signed in': ['u1', (transaction) => transaction((em) => findSession(em, 's1'))],
  'a request of somebody who is at a provider': [
    'nobody',
    (transaction) => transaction((em) => findSession(em, 'visitor')),
  ],
  'a first sign-in': [
    undefined,
    (transaction, key) =>
      transaction(async (em) => {
        await em.execute(`insert into organizations (id, name) values (?, 'New')`, [key]);
        await em.execute('insert into users (id, org_id) values (?, ?)', [key, key]);
        await em.execute('insert into memberships (user_id, org_id) values (?, ?)', [key, key]);
        await em.execute(`insert into identities (provider, subject, user_id) values ('github', ?, ?)`, [key, key]);
      }),
  ],
  'an onboarding': [
    undefined,
    (transaction) =>
      transaction(async (em) => {
        await em.execute(`set local role ${tenantRole}`);
        await em.execute(`set local advisory_chat.org_id = 'o'`);
        await em.execute(`update users set role = 'COO' where id = 'u2'`);
        await em.execute(`update organizations set industry = 'Castings' where id = 'o'`);
        await em.execute(
          `insert into engagement_states (user_id, org_id, week, hypotheses, unknowns, findings)
             values ('u2', 'o', 1, '[]', '[]', '[]') on conflict (user_id, org_id) do update set week = 1`,
        );
      }),
  ],
  'a session, from its beginning to its end': [
    ['u2', 'u2', 'signed out'],
    async (transaction, key) => {
      const set = `insert into sessions (sess, expire, sid) select ?::json, 'infinity', ?
        on conflict (sid) do update set sess = excluded.sess, expire = excluded.expire`;
      await transaction((em) => em.execute(set, ['{"userId":"u2"}', key]));
      const begun = await transaction((em) => findSession(em, key));
      await transaction((em) => em.execute(set, ['{"userId":"u2","renewedAt":1}', key]));
      const renewed = await transaction((em) => findSession(em, key));
      await transaction((em) => em.execute('delete from sessions where sid = ?', [key]));
      return [begun, renewed, await transaction((em) => findSession(em, key))];
    },
  ],
  'the beginning of a turn': [
    undefined,
    (transaction, key) =>
      transaction(async (em) => {
        await em.execute(`select open_turn('o', 'u1', 'c1', ?, ?, ?, 'And then.')`, [key, key, key]);
      }),
  ],
  'the end of a turn': [
    undefined,
    (transaction, key) =>
      transaction(async (em) => {
        await em.execute(`select close_turn('o', 'u2', 'c2', ?, ?, 'So.', 1, 1, 0, 0, 'end_turn', 'model', '1.0.0')`, [
          key,
          key,
        ]);
      }),
  ],
};

/** Sends each of the requests again and again. None is sent a second time before it is answered. */
function createTraffic(orm: Orm) {
  const underWay = new Set<string>();
  const failures: string[] = [];
  let sent = 0;

  async function send(name: string, [answer, work]: [unknown, Work], moment: string): Promise<void> {
    try {
      sent += 1;
      const given = await work((inTransaction) => orm.em.fork().transactional(inTransaction), `k${sent}`);
      if (JSON.stringify(given) !== JSON.stringify(answer)) {
        failures.push(`${name}, sent after ${moment}, was answered ${JSON.stringify(given)}`);
      }
    } catch (error) {
      failures.push(`${name}, sent after ${moment}, failed: ${(error as Error).message.split('\n')[0]}`);
    } finally {
      underWay.delete(name);
    }
  }

  return {
    failures,
    /** Resolves when each is answered, or waits for what the migration has locked. */
    async sendEach(moment: string): Promise<void> {
      // Enough is known. The migration would be tried again for as long as requests are in its way.
      if (failures.length > 0) return;
      for (const [name, request] of Object.entries(requests)) {
        if (underWay.has(name)) continue;
        underWay.add(name);
        void send(name, request, moment);
      }
      await waitingOrOver(orm, underWay);
    },
    /** Resolves when all are answered. */
    end: () => eventually(() => (underWay.size === 0 ? true : undefined)),
  };
}

const filesOfTables = (orm: Orm) =>
  orm.em.fork().execute<{ name: string; file: number }[]>(
    `select relname as name, relfilenode as file from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  );

describe('an upgrade from the first release, under load', function () {
  this.timeout(120_000);

  for (const name of names.slice(names.indexOf(firstRelease) + 1)) {
    it(`over ${name} fails no request, ends no session and rewrites no table`, async () => {
      await using empty = await createEmptyDatabase();
      await migrateUpTo(empty.url, firstRelease);
      await using others = await openOrm({ kind: 'postgresql', url: empty.url }, silent, unhurried);
      for (const statement of population) await others.em.fork().execute(statement);
      await migrateUpTo(empty.url, names[names.indexOf(name) - 1] ?? '');
      const files = await filesOfTables(others);

      // Of two that wait for each other PostgreSQL ends the one that looks first, and a migration would be tried again.
      const patient = `${empty.url}?options=${encodeURIComponent('-c deadlock_timeout=1min')}`;
      await using migrating = await openOldRelease(patient, name);
      const traffic = createTraffic(others);
      await traffic.sendEach('nothing');
      betweenStatements(migrating, traffic.sendEach);
      await migrate(migrating, { shared: false, pauseMilliseconds: 10 });
      await traffic.sendEach('everything');
      await traffic.end();

      expect(traffic.failures).to.deep.equal([]);
      expect(await filesOfTables(others)).to.include.deep.members(files);
    });
  }

  it('is finished by a later attempt, as an owner whom row-level security binds, and ends no session then either', async () => {
    await using opened = new AsyncDisposableStack();
    const server = required(testDatabaseUrl);
    const makeTenantRole = `create role ${tenantRole} nologin nosuperuser nobypassrls`;
    await onServer(server, `do $$ begin ${makeTenantRole}; exception when duplicate_object then null; end $$`);
    const owner = opened.use(await createServerUser(''));
    await onServer(server, `grant ${tenantRole} to ${owner.name}`);
    const empty = opened.use(await createEmptyDatabase(owner.name));
    const url = owner.urlOf(empty.url);
    await migrateUpTo(url, firstRelease);
    await using reader = await openOrm({ kind: 'postgresql', url: empty.url }, silent, unhurried);
    for (const statement of population) await reader.em.fork().execute(statement);

    await using migrating = await openOrm({ kind: 'postgresql', url }, silent, unhurried);
    const attempts: unknown[] = [];
    const logger = createLogger({ level: 'warn' }, { write: (line) => void attempts.push(JSON.parse(line).migration) });
    let migration: Promise<string[]> | undefined;
    await reader.em.fork().transactional(async (em) => {
      // What the last step of that migration takes.
      await em.execute('select from chat_messages');
      migration = migrate(migrating, { shared: true, logger, pauseMilliseconds: 10 });
      await Promise.race([eventually(() => attempts[1]), migration]);
    });
    expect((await migration)?.at(0)).to.equal('2026-11-22-people');
    expect(new Set(attempts)).to.deep.equal(new Set(['2026-11-22-people']));
    expect(await reader.em.fork().execute('select sid, user_id from sessions order by sid')).to.deep.equal([
      { sid: 's1', user_id: 'u1' },
      { sid: 's2', user_id: 'u2' },
      { sid: 'visitor', user_id: null },
    ]);
  });
});
