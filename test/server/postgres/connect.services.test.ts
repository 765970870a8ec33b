import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { pino } from 'pino';
import { type Orm, openOrm } from '../../../server/database/orm.ts';
import { eventually } from '../../support/eventually.ts';
import { findNonEphemeralPort } from '../../support/non-ephemeral-port.ts';
import { perSuite } from '../../support/per-suite.ts';
import { startPostgresPair } from '../../support/postgres-process.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { refusal } from '../database/scenes.ts';

const silent = pino({ level: 'silent' });

describe('the servers of DATABASE_URL', () => {
  let unreachable: string;

  const directory = perSuite(() => temporaryDirectory());
  const pair = perSuite(() => startPostgresPair(directory.path));
  before(async () => {
    unreachable = `127.0.0.1:${await findNonEphemeralPort()}`;
  });

  const address = (hosts: readonly string[], parameters = '') =>
    `postgresql://postgres@${hosts.join(',')}/postgres?${parameters}`;

  async function withOrm<T>(url: string, work: (orm: Orm) => Promise<T>): Promise<T> {
    const orm = await openOrm({ kind: 'postgresql', url }, silent);
    try {
      return await work(orm);
    } finally {
      await orm.close(true);
    }
  }
  const evaluate = (orm: Orm, expression: string): Promise<unknown> =>
    orm.em
      .fork()
      .execute<{ result: unknown }[]>(`select ${expression} as result`)
      .then(([row]) => row?.result);
  const connectsToStandby = (hosts: readonly string[], parameters = '') =>
    withOrm(address(hosts, parameters), (orm) => evaluate(orm, 'pg_is_in_recovery()'));

  it('receive the application name and the options of the address', async () => {
    const url = address(
      [pair.primary.host],
      'application_name=advice&options=-c%20work_mem%3D8MB%20-c%20lock_timeout%3D7s',
    );
    await withOrm(url, async (orm) => {
      expect(await evaluate(orm, `current_setting('application_name')`)).to.equal('advice');
      expect(await evaluate(orm, `current_setting('work_mem')`)).to.equal('8MB');
      expect(await evaluate(orm, `current_setting('lock_timeout')`)).to.equal('7s');
    });
  });

  it('receive no settings other than the encoding, the isolation level and the statement limit', async () => {
    await withOrm(address([pair.primary.host]), async (orm) => {
      const received = await orm.em
        .fork()
        .execute(`select name, setting from pg_settings where source = 'client' order by name`);
      expect(received).to.deep.equal([
        { name: 'client_encoding', setting: 'UTF8' },
        { name: 'default_transaction_isolation', setting: 'read committed' },
        { name: 'statement_timeout', setting: '10000' },
      ]);
    });
  });

  it('are tried in order', async () => {
    expect(await connectsToStandby([pair.primary.host, pair.standby.host])).to.equal(false);
    expect(await connectsToStandby([pair.standby.host, pair.primary.host])).to.equal(true);
    expect(await connectsToStandby([unreachable, pair.standby.host, pair.primary.host])).to.equal(true);
  });

  for (const [target, expected] of [
    ['any', 'standby'],
    ['read-write', 'primary'],
    ['read-only', 'standby'],
    ['primary', 'primary'],
    ['standby', 'standby'],
    ['prefer-standby', 'standby'],
  ]) {
    it(`are skipped until a server matches target_session_attrs=${target}`, async () => {
      const parameters = `target_session_attrs=${target}`;
      expect(await connectsToStandby([pair.standby.host, pair.primary.host], parameters)).to.equal(
        expected === 'standby',
      );
      if (target === 'any') return;
      expect(await connectsToStandby([pair.primary.host, pair.standby.host], parameters)).to.equal(
        expected === 'standby',
      );
    });
  }

  it('must include a standby for target_session_attrs=standby, but not for prefer-standby', async () => {
    expect(await connectsToStandby([pair.primary.host, unreachable], 'target_session_attrs=prefer-standby')).to.equal(
      false,
    );
    const error = await refusal(connectsToStandby([pair.primary.host], 'target_session_attrs=standby'));
    expect(error.message).to.include(
      'No server of DATABASE_URL is available: The server does not match target_session_attrs=standby.',
    );
    expect(error).to.have.property('code', '08001');
    // The server ends the sessions asynchronously.
    await eventually(async () => {
      const sessions = await pair.primary.query(
        `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      return sessions.length === 0 ? true : undefined;
    });
  });

  it('are not tried after one of the servers has refused the login', async () => {
    const url = `postgresql://stranger@${pair.primary.host},${unreachable}/postgres`;
    const error = await refusal(withOrm(url, (orm) => evaluate(orm, '1')));
    expect(error.message).to.include('role "stranger" does not exist');
  });

  it('are all named in the error if none is reachable', async () => {
    const other = `127.0.0.1:${await findNonEphemeralPort()}`;
    const error = await refusal(withOrm(address([unreachable, other]), (orm) => evaluate(orm, '1')));
    expect(error.message).to.include(unreachable).and.include(other).and.include('ECONNREFUSED');
    expect(error).to.have.property('code', '08001');
  });

  it('are abandoned after connect_timeout if they do not respond, and are tried last during a cooldown', async () => {
    const sockets = new Set<Socket>();
    let attempts = 0;
    const unresponsive = createServer((socket) => {
      attempts += 1;
      sockets.add(socket.on('error', () => socket.destroy()));
    });
    unresponsive.listen(0, '127.0.0.1');
    await once(unresponsive, 'listening');
    const { port } = unresponsive.address() as { port: number };
    const startedAt = performance.now();
    await withOrm(address([`127.0.0.1:${port}`, pair.primary.host], 'connect_timeout=1'), async (orm) => {
      expect(await evaluate(orm, 'pg_is_in_recovery()')).to.equal(false);
      expect(performance.now() - startedAt).to.be.within(1_000, 3_000);
      expect(attempts).to.equal(1);
      await Promise.all(Array.from({ length: 5 }, () => evaluate(orm, 'pg_sleep(0.1)::text')));
      expect(attempts).to.equal(1);
    });
    for (const socket of sockets) socket.destroy();
    unresponsive.close();
  });
});
