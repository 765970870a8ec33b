import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { Client } from 'pg';
import { pino } from 'pino';
import { openDatabase } from '../../../server/database/database.ts';
import { getNativeClient } from '../../../server/database/native-client.ts';
import { type DatabaseSettings, noTimeLimit, type Orm, openOrm } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { inOrganization } from '../../../server/database/transactions.ts';
import { eventually } from '../../support/eventually.ts';
import { startPgBouncer } from '../../support/pgbouncer-process.ts';
import { type Postgres, startPostgres } from '../../support/postgres-process.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { refusal } from '../database/scenes.ts';

const silent = pino({ level: 'silent' });
const statementMilliseconds = 600;

describe('the statement limit', () => {
  let opened: AsyncDisposableStack;
  let postgres: Postgres;
  /** The addresses of PgBouncer, in transaction mode, for the owner's and the serving login. */
  let pooled: { owner: string; serving: string };
  let settings: DatabaseSettings;

  before(async () => {
    opened = new AsyncDisposableStack();
    const directory = await temporaryDirectory();
    opened.defer(directory.remove);
    postgres = await startPostgres(directory.path);
    opened.defer(postgres.stop);
    await postgres.query(`create role ${tenantRole} nologin`);
    await postgres.query('create role owner login');
    await postgres.query('create role serving login noinherit');
    await postgres.query(`grant ${tenantRole} to owner with admin option`);
    await postgres.query('grant all on schema public to owner');
    const pooler = await startPgBouncer(directory.path, postgres, { users: ['serving', 'owner'] });
    opened.defer(pooler.stop);
    pooled = { serving: pooler.url, owner: pooler.url.replace('serving@', 'owner@') };
    settings = { kind: 'postgresql', url: pooled.serving, ownerUrl: pooled.owner };
    await (await openDatabase(settings, silent)).close();
    await endPooledConnections();
  });
  after(() => opened.disposeAsync());

  /** A login's setting applies to new connections only, and PgBouncer keeps its connections open for up to an hour. */
  async function endPooledConnections(): Promise<void> {
    await postgres.query(`select to_json(pg_terminate_backend(pid)) from pg_stat_activity where usename = 'serving'`);
    const orm = await open(pooled.serving);
    // A query fails until PgBouncer has noticed the end of each connection.
    await eventually(() => limitOf(orm).catch(() => undefined));
  }

  async function open(url: string, limits: Parameters<typeof openOrm>[2] = { statementMilliseconds }): Promise<Orm> {
    const orm = await openOrm({ kind: 'postgresql', url }, silent, limits);
    opened.defer(() => orm.close(true));
    return orm;
  }
  const limitOf = async (orm: Orm) => {
    const [row] = await orm.em.fork().execute(`select current_setting('statement_timeout') as limit`);
    return row?.limit;
  };
  const processOf = async (orm: Orm) => {
    const [row] = await orm.em.fork().execute('select pg_backend_pid() as pid');
    return row?.pid;
  };
  const working = (text: string) =>
    postgres.query<number>(
      `select to_json(pid) from pg_stat_activity where state = 'active' and query = '${text.replaceAll("'", "''")}'`,
    );

  async function expectCancelled(orm: Orm): Promise<void> {
    const client = await getNativeClient(orm);
    const statement = `select pg_sleep(20)::text as slept`;
    const errors = await Promise.all(Array.from({ length: 9 }, () => refusal(client.query(statement, []))));
    for (const error of errors) expect(error).to.have.property('code', '57014');
    expect(await working(statement)).to.deep.equal([]);
  }

  it('cancels the statement on the server', async () => {
    await expectCancelled(await open(postgres.url));
  });

  it('rolls back the transaction of the statement', async () => {
    const orm = await open(postgres.url);
    const error = await refusal(orm.em.fork().transactional((em) => em.execute('select pg_sleep(20)::text')));
    expect(error).to.have.property('message').that.includes('canceling statement due to statement timeout');
    const idleTransactions = await postgres.query(
      `select to_json(state) from pg_stat_activity where state like 'idle in trans%'`,
    );
    expect(idleTransactions).to.deep.equal([]);
  });

  it('can be overridden in the address', async () => {
    expect(await limitOf(await open(`${postgres.url}?options=-c%20statement_timeout%3D7s`))).to.equal('7s');
  });

  it('is a setting of the serving login if there are two logins, so that it also applies behind PgBouncer', async () => {
    expect(await limitOf(await open(pooled.serving))).to.equal('10s');
  });

  it('can be set by the operator for the serving login, and survives a restart', async () => {
    await postgres.query(
      `alter role serving in database postgres set statement_timeout = '${statementMilliseconds}ms'`,
    );
    await endPooledConnections();
    const orm = await open(pooled.serving);
    expect(await limitOf(orm)).to.equal('600ms');
    await expectCancelled(orm);
    await (await openDatabase(settings, silent)).close();
    const [stored] = await postgres.query<string[]>(
      `select to_json(setconfig) from pg_db_role_setting where setrole = 'serving'::regrole`,
    );
    expect(stored).to.deep.equal(['statement_timeout=600ms']);
  });

  it("cannot be set behind PgBouncer with one login, where a function's lock_timeout still ends a wait for a lock", async () => {
    await postgres.query(`alter function find_session set lock_timeout = '${statementMilliseconds}ms'`);
    const orm = await open(pooled.owner);
    // Opens several connections concurrently. PgBouncer refuses the session setting on each.
    const limits = await Promise.all(Array.from({ length: 9 }, () => limitOf(orm)));
    expect(new Set(limits)).to.deep.equal(new Set(['0']));
    const holder = new Client(postgres.url);
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table sessions in access exclusive mode');
      const statement = `select find_session('some')`;
      const error = await refusal((await getNativeClient(orm)).query(statement, []));
      expect(error).to.have.property('code', '55P03');
      expect(await working(statement)).to.deep.equal([]);
    } finally {
      await holder.end();
    }
  });

  it('does not apply to migrations and operator commands', async () => {
    expect(await limitOf(await open(postgres.url, noTimeLimit))).to.equal('0');
  });

  it('applies to every transaction in an organization', async () => {
    const orm = await open(pooled.owner);
    const limits = await inOrganization(orm, 'some', (em) =>
      em.execute(`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`),
    );
    expect(limits).to.deep.equal([{ statement: '10s', idle: '10s' }]);
    expect(await limitOf(orm)).to.equal('0');
  });

  for (const [title, ask] of [
    ['a statement', async (orm: Orm) => (await getNativeClient(orm)).query('select 1', [])],
    ['a transaction', (orm: Orm) => orm.em.fork().transactional((em) => em.execute('select 1'))],
  ] as const) {
    it(`rejects ${title} one second after the limit and closes the connection if the network drops all packets`, async () => {
      const proxy = await createTcpProxy(postgres.url);
      opened.defer(proxy.close);
      const orm = await open(proxy.url);
      await processOf(orm);
      proxy.freeze();
      const startedAt = performance.now();
      const error = await refusal(ask(orm));
      expect(error.message).to.equal('Query read timeout');
      expect(performance.now() - startedAt).to.be.within(1_500, 4_000);
      proxy.thaw();
      expect(await processOf(orm)).to.be.a('number');
    });
  }
});
