import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { pino } from 'pino';
import { type Orm, openOrm } from '../../../server/database/orm.ts';
import { findNonEphemeralPort } from '../../support/non-ephemeral-port.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { startPostgresPair } from '../../support/postgres-process.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { refusal } from '../database/scenes.ts';

const silent = pino({ level: 'silent' });

describe('the servers of DATABASE_URL', function () {
  this.timeout(60_000);
  let nobody: string;

  const directory = ofSuite(() => temporaryDirectory());
  const pair = ofSuite(() => startPostgresPair(directory.path));
  before(async () => {
    nobody = `127.0.0.1:${await findNonEphemeralPort()}`;
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
  const ask = (orm: Orm, expression: string): Promise<unknown> =>
    orm.em
      .fork()
      .execute<{ answer: unknown }[]>(`select ${expression} as answer`)
      .then(([row]) => row?.answer);
  /** Whether the server that is found is the standby. */
  const findsStandby = (hosts: readonly string[], parameters = '') =>
    withOrm(address(hosts, parameters), (orm) => ask(orm, 'pg_is_in_recovery()'));

  it('are told the name of the application and the options that the address has', async () => {
    const url = address(
      [pair.primary.host],
      'application_name=advice&options=-c%20work_mem%3D8MB%20-c%20lock_timeout%3D7s',
    );
    await withOrm(url, async (orm) => {
      expect(await ask(orm, `current_setting('application_name')`)).to.equal('advice');
      expect(await ask(orm, `current_setting('work_mem')`)).to.equal('8MB');
      expect(await ask(orm, `current_setting('lock_timeout')`)).to.equal('7s');
    });
  });

  it('receive no other setting than the encoding and the limit of a statement', async () => {
    await withOrm(address([pair.primary.host]), async (orm) => {
      const received = await orm.em
        .fork()
        .execute(`select name, setting from pg_settings where source = 'client' order by name`);
      expect(received).to.deep.equal([
        { name: 'client_encoding', setting: 'UTF8' },
        { name: 'statement_timeout', setting: '10000' },
      ]);
    });
  });

  it('are tried in their order', async () => {
    expect(await findsStandby([pair.primary.host, pair.standby.host])).to.equal(false);
    expect(await findsStandby([pair.standby.host, pair.primary.host])).to.equal(true);
    expect(await findsStandby([nobody, pair.standby.host, pair.primary.host])).to.equal(true);
  });

  for (const [target, expected] of [
    ['any', 'standby'],
    ['read-write', 'primary'],
    ['read-only', 'standby'],
    ['primary', 'primary'],
    ['standby', 'standby'],
    ['prefer-standby', 'standby'],
  ]) {
    it(`are passed over until one is what target_session_attrs=${target} asks for`, async () => {
      const parameters = `target_session_attrs=${target}`;
      expect(await findsStandby([pair.standby.host, pair.primary.host], parameters)).to.equal(expected === 'standby');
      if (target === 'any') return;
      expect(await findsStandby([pair.primary.host, pair.standby.host], parameters)).to.equal(expected === 'standby');
    });
  }

  it('are a standby alone, or the primary where prefer-standby finds none', async () => {
    expect(await findsStandby([pair.primary.host, nobody], 'target_session_attrs=prefer-standby')).to.equal(false);
    const error = await refusal(findsStandby([pair.primary.host], 'target_session_attrs=standby'));
    expect(error.message).to.include(
      'No server of DATABASE_URL could be used: The server is not what standby asks for.',
    );
    expect(error).to.have.property('code', '08001');
  });

  it('are not asked again for a login that one has refused', async () => {
    const url = `postgresql://stranger@${pair.primary.host},${nobody}/postgres`;
    const error = await refusal(withOrm(url, (orm) => ask(orm, '1')));
    expect(error.message).to.include('role "stranger" does not exist');
  });

  it('are all named in the error where none can be reached', async () => {
    const other = `127.0.0.1:${await findNonEphemeralPort()}`;
    const error = await refusal(withOrm(address([nobody, other]), (orm) => ask(orm, '1')));
    expect(error.message).to.include(nobody).and.include(other).and.include('ECONNREFUSED');
    expect(error).to.have.property('code', '08001');
  });

  it('that give no sign of life are waited for by connect_timeout, and asked last for a while', async () => {
    const held = new Set<Socket>();
    let asked = 0;
    const mute = createServer((socket) => {
      asked += 1;
      held.add(socket.on('error', () => socket.destroy()));
    });
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    const begun = performance.now();
    await withOrm(address([`127.0.0.1:${port}`, pair.primary.host], 'connect_timeout=1'), async (orm) => {
      expect(await ask(orm, 'pg_is_in_recovery()')).to.equal(false);
      expect(performance.now() - begun).to.be.within(1_000, 3_000);
      expect(asked).to.equal(1);
      await Promise.all(Array.from({ length: 5 }, () => ask(orm, 'pg_sleep(0.1)::text')));
      expect(asked).to.equal(1);
    });
    for (const socket of held) socket.destroy();
    mute.close();
  });
});
