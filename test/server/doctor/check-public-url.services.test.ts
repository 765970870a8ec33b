import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { checkCertificates } from '../../../server/doctor/check-public-url.ts';
import { listen } from '../../../server/http/http-server.ts';
import { perSuite } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';

const days = 90;
const dayMilliseconds = 86_400_000;

describe('checkCertificates', () => {
  let files: { TLS_CERT_FILE: string; TLS_KEY_FILE: string };

  const directory = perSuite(() => temporaryDirectory());
  before(() => {
    files = { TLS_CERT_FILE: join(directory.path, 'cert.pem'), TLS_KEY_FILE: join(directory.path, 'key.pem') };
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const output = ['-keyout', files.TLS_KEY_FILE, '-out', files.TLS_CERT_FILE];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', String(days)];
    execFileSync('openssl', [...request, ...subject, ...output], { stdio: 'ignore' });
  });

  /** Returns the findings of the check as of the given number of days from now. */
  async function daysLater(passed: number, variables: Record<string, string>) {
    const clock = install({ now: Date.now() + passed * dayMilliseconds, toFake: ['Date'] });
    const [finding, ...others] = await checkCertificates(loadConfig(variables)).finally(() => clock.uninstall());
    expect(others).to.deep.equal([]);
    return `${finding?.outcome}: ${finding?.text}`;
  }

  it('reports the expiry of the file, and fails during the last week', async () => {
    expect(await daysLater(0, files)).to.match(/^ok: TLS_CERT_FILE expires on \d{4}-\d\d-\d\d, in (89|90) days\.$/);
    expect(await daysLater(days - 6, files)).to.match(
      /^FAILED: TLS_CERT_FILE expires on .*, in [56] days\. Renew it\.$/,
    );
    expect(await daysLater(days + 1, files)).to.match(
      /^FAILED: TLS_CERT_FILE expired on \d{4}-\d\d-\d\d\. Renew it\.$/,
    );
  });

  it('fails if the certificate does not match the host of PUBLIC_URL, or cannot be read', async () => {
    const [finding] = await checkCertificates(loadConfig({ ...files, PUBLIC_URL: 'https://chat.example.invalid' }));
    expect(finding?.text).to.equal('TLS_CERT_FILE is not for chat.example.invalid, the host of PUBLIC_URL.');
    expect(await daysLater(0, { ...files, TLS_CERT_FILE: '/nowhere/cert.pem' })).to.match(
      /^FAILED: TLS_CERT_FILE cannot be read: ENOENT/,
    );
  });

  it('reports the expiry of the certificate at PUBLIC_URL', async () => {
    const server = createServer({ cert: readFileSync(files.TLS_CERT_FILE), key: readFileSync(files.TLS_KEY_FILE) });
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    const PUBLIC_URL = `https://localhost:${port}`;
    const good = await daysLater(0, { PUBLIC_URL });
    const late = await daysLater(days - 6, { PUBLIC_URL });
    server.close();
    expect(good).to.match(/^ok: The certificate at PUBLIC_URL expires on \d{4}-\d\d-\d\d, in (89|90) days\.$/);
    expect(late).to.match(/^FAILED: The certificate at PUBLIC_URL expires on .*\. Renew it\.$/);
  });
});
