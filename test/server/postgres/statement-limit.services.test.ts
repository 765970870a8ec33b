import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { Client } from 'pg';
import { pino } from 'pino';
import { nativeClient } from '../../../server/database/client.ts';
import { migrate } from '../../../server/database/migrate.ts';
import { forRequests, type Orm, openOrm, unhurried } from '../../../server/database/orm.ts';
import { inOrganization } from '../../../server/database/tenant.ts';
import { createAuthority } from '../../support/certificates.ts';
import { eventually } from '../../support/eventually.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { startPgBouncer } from '../../support/pgbouncer-process.ts';
import { type Postgres, startPostgres } from '../../support/postgres-process.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { refusal } from '../database/scenes.ts';

const silent = pino({ level: 'silent' });
const statementMilliseconds = 600;

describe('a statement of a request', function () {
  this.timeout(15_000);
  let postgres: Postgres;
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
  let operator: Orm;

  after(async () => {
    await operator?.close(true);
    await pooler?.stop();
    await postgres?.stop();
  });
  const directory = ofSuite(() => temporaryDirectory());
  before(async () => {
    const authority = await createAuthority(directory.path, 'authority');
    const tls = { ...(await authority.sign('database')), authority: authority.certificate };
    postgres = await startPostgres(directory.path, { tls });
    pooler = await startPgBouncer(directory.path, postgres);
    operator = await openOrm({ kind: 'postgresql', url: postgres.url }, silent, unhurried);
    await migrate(operator, { shared: true });
    // The server ends the wait by itself: a cancellation may be lost where a pooler is late.
    await postgres.query(`alter function find_session set lock_timeout = '4s'`);
  });

  const askOf = `select find_session('some', 0)`;

  const waiting = () =>
    postgres.query<number>(`select to_json(pid) from pg_stat_activity where wait_event_type = 'Lock'`);
  const nobodyWaits = () => eventually(async () => ((await waiting()).length === 0 ? true : undefined));

  /** With connections that serve, while nobody can read or write `sessions`. */
  async function whileLocked(url: string, work: (orm: Orm) => Promise<void>): Promise<void> {
    // Not by the ORM, which would take a transaction that is begun within another one's time for a part of it.
    const holder = new Client(postgres.url);
    const orm = await openOrm({ kind: 'postgresql', url }, silent, { ...forRequests, statementMilliseconds });
    try {
      await holder.connect();
      await holder.query('begin');
      await holder.query('lock table sessions in access exclusive mode');
      await work(orm);
      // While the lock is still held.
      await nobodyWaits();
      expect(await orm.em.fork().execute('select 1 as alive')).to.deep.equal([{ alive: 1 }]);
    } finally {
      await holder.end();
      await orm.close(true);
    }
  }

  for (const [way, urlOf] of [
    ['', () => postgres.url],
    [' over TLS', () => `${postgres.url}?sslmode=require`],
    [' behind PgBouncer', () => pooler.url],
  ] as const) {
    it(`that a lock holds up for too long${way} ends at the server too`, async () => {
      await whileLocked(urlOf(), async (orm) => {
        const client = await nativeClient(orm);
        const errors = await Promise.all(Array.from({ length: 9 }, () => refusal(client.query(askOf, []))));
        // On a busy machine the server may cancel one too late for its client, which is gone then.
        for (const { message } of errors) {
          expect(message).to.be.oneOf(['canceling statement due to user request', 'Connection terminated']);
        }
        expect(errors.map((error) => 'code' in error && error.code)).to.include('57014');
      });
    });

    it(`fails its transaction alone${way}`, async () => {
      await whileLocked(urlOf(), async (orm) => {
        const error = await refusal(orm.em.fork().transactional((em) => em.execute(askOf)));
        expect(error.message).to.include('canceling statement due to user request');
      });
      const open = await postgres.query(
        `select to_json(state) from pg_stat_activity where state like 'idle in trans%'`,
      );
      expect(open).to.deep.equal([]);
    });
  }

  it('that takes long under no limit goes on', async () => {
    const orm = await openOrm({ kind: 'postgresql', url: postgres.url }, silent, unhurried);
    expect(
      await orm.em.fork().execute(`select pg_sleep(${(2 * statementMilliseconds) / 1000})::text as done`),
    ).to.have.length(1);
    await orm.close(true);
  });

  it('fails soon after its time where the server does not answer any more', async () => {
    const stretch = await createTcpProxy(postgres.url);
    const orm = await openOrm({ kind: 'postgresql', url: stretch.url }, silent, {
      ...forRequests,
      statementMilliseconds,
    });
    await orm.em.fork().execute('select 1');
    stretch.freeze();
    const error = await refusal((await nativeClient(orm)).query('select 1', []));
    expect(error.message).to.equal('Connection terminated');
    stretch.thaw();
    expect(await orm.em.fork().execute('select 1 as alive')).to.deep.equal([{ alive: 1 }]);
    await orm.close(true);
    await stretch.close();
  });

  it('is bounded by the server too where it is one of a transaction, without another round trip', async () => {
    const limits = await inOrganization(operator, 'nobody', (em) =>
      em.execute(`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`),
    );
    expect(limits).to.deep.equal([{ statement: '10s', idle: '10s' }]);
    const [after] = await operator.em.fork().execute(`select current_setting('statement_timeout') as statement`);
    expect(after).to.deep.equal({ statement: '0' });
  });
});
