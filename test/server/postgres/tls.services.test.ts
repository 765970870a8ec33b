import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../server/config/config.ts';
import { openDatabase } from '../../../server/database/database.ts';
import { openOrm } from '../../../server/database/orm.ts';
import { checkDatabase } from '../../../server/doctor/checks.ts';
import { createAuthority } from '../../support/certificates.ts';
import { perSuite } from '../../support/per-suite.ts';
import { type Postgres, startPostgres } from '../../support/postgres-process.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { refusal } from '../database/scenes.ts';

const silent = pino({ level: 'silent' });

/** The server refuses connections without TLS, and accepts the role `certified` only with a client certificate. */
describe('a PostgreSQL server that requires TLS', () => {
  let postgres: Postgres;
  let files: Record<'authority' | 'other' | 'clientCertificate' | 'clientKey', string>;

  after(async () => {
    await postgres?.stop();
  });
  const directory = perSuite(() => temporaryDirectory());
  before(async () => {
    const authority = await createAuthority(directory.path, 'authority');
    const other = await createAuthority(directory.path, 'other');
    const client = await authority.sign('certified');
    files = {
      authority: authority.certificate,
      other: other.certificate,
      clientCertificate: client.certificate,
      clientKey: client.key,
    };
    postgres = await startPostgres(directory.path, {
      tls: {
        ...(await authority.sign('database', ['DNS:localhost', 'IP:127.0.0.2'])),
        authority: authority.certificate,
      },
      settings: { listen_addresses: '127.0.0.1,127.0.0.2' },
      admission: ['hostssl all certified 127.0.0.0/8 cert', 'hostssl all all 127.0.0.0/8 trust'],
    });
    await postgres.query('create role certified login');
  });

  const addressOf = (parameters: string, host = '127.0.0.1', user = 'postgres') =>
    `postgresql://${user}@${host}:${postgres.host.split(':')[1]}/postgres?${parameters}`;

  async function encryption(url: string) {
    const orm = await openOrm({ kind: 'postgresql', url }, silent);
    try {
      const [row] = await orm.em.fork().execute('select ssl, version from pg_stat_ssl where pid = pg_backend_pid()');
      return row;
    } finally {
      await orm.close(true);
    }
  }
  const encrypted = { ssl: true, version: 'TLSv1.3' };

  it('refuses a connection without TLS', async () => {
    for (const parameters of ['', 'sslmode=disable']) {
      const error = await refusal(encryption(addressOf(parameters)));
      expect(error.message).to.match(/no pg_hba\.conf entry .* no encryption/);
    }
  });

  it('can be used with sslmode=require without verification of its certificate', async () => {
    expect(await encryption(addressOf('sslmode=require'))).to.deep.equal(encrypted);
  });

  it('is reported as encrypted by doctor', async () => {
    const findings = await checkDatabase(loadConfig({ DATABASE_URL: addressOf('sslmode=require') }), silent);
    expect(findings.map(({ text }) => text)).to.include('The connection is encrypted (TLSv1.3).');
  });

  it('has its certificate verified with sslmode=require and an sslrootcert, as with verify-ca', async () => {
    for (const sslmode of ['require', 'verify-ca']) {
      const trusted = `sslmode=${sslmode}&sslrootcert=${files.authority}`;
      expect(await encryption(addressOf(trusted)), sslmode).to.deep.equal(encrypted);
      const error = await refusal(encryption(addressOf(`sslmode=${sslmode}&sslrootcert=${files.other}`)));
      expect(error.message, sslmode).to.match(/self-signed certificate|unable to (verify|get)/);
    }
  });

  it('passes verify-full only under a host name or IP address in its certificate', async () => {
    const parameters = `sslmode=verify-full&sslrootcert=${files.authority}`;
    for (const host of ['localhost', '127.0.0.2']) {
      expect(await encryption(addressOf(parameters, host)), host).to.deep.equal(encrypted);
    }
    const error = await refusal(encryption(addressOf(parameters, '127.0.0.1')));
    expect(error.message).to.match(/IP: 127\.0\.0\.1 is not in the cert's list/);
  });

  it('is rejected by verify-full unless its certificate is signed by an authority in sslrootcert or by a public one', async () => {
    for (const authority of [`&sslrootcert=${files.other}`, '&sslrootcert=system', '']) {
      const error = await refusal(encryption(addressOf(`sslmode=verify-full${authority}`, 'localhost')));
      expect(error.message, authority).to.match(/certificate/);
    }
  });

  it('authenticates a client by its certificate', async () => {
    const client = `sslcert=${files.clientCertificate}&sslkey=${files.clientKey}`;
    expect(await encryption(addressOf(`sslmode=require&${client}`, '127.0.0.1', 'certified'))).to.deep.equal(encrypted);
    const error = await refusal(encryption(addressOf('sslmode=require', '127.0.0.1', 'certified')));
    expect(error.message).to.match(/valid client certificate/);
  });

  it('cannot be used with an invalid file, and the error names the variable and the parameter of the file', async () => {
    const missing = addressOf(`sslmode=require&sslrootcert=${join(directory.path, 'missing.pem')}`);
    expect((await refusal(encryption(missing))).message).to.include(
      'The sslrootcert of DATABASE_URL is missing, unreadable or not a valid PEM file (ENOENT).',
    );
    const { authority, clientCertificate, clientKey } = files;
    for (const [parameter, parameters] of [
      ['sslrootcert', `sslrootcert=${clientKey}`],
      ['sslcert', `sslcert=${clientKey}&sslkey=${clientKey}`],
      ['sslkey', `sslcert=${clientCertificate}&sslkey=${authority}`],
    ]) {
      const error = await refusal(encryption(addressOf(`sslmode=require&${parameters}`)));
      expect(error.message).to.match(
        new RegExp(`^The ${parameter} of DATABASE_URL is missing, unreadable or not a valid PEM file`),
      );
    }
    const settings = { kind: 'postgresql', url: addressOf('sslmode=require'), ownerUrl: missing } as const;
    expect((await refusal(openDatabase(settings, silent))).message).to.include(
      'The sslrootcert of DATABASE_MIGRATION_URL',
    );
  });
});
