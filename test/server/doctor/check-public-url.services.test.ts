import { createServer } from 'node:https';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { checkCertificate, checkPublicUrl } from '../../../server/doctor/check-public-url.ts';
import { formatResult } from '../../../server/doctor/checks.ts';
import { listen } from '../../../server/http/http-server.ts';
import { selfSign } from '../../support/certificates.ts';
import { closing } from '../../support/closing.ts';
import { perSuite } from '../../support/per-suite.ts';

const days = 90;
const dayMilliseconds = 86_400_000;

describe('checkCertificate', () => {
  let headers: Record<string, string>;
  const server = perSuite(async () => {
    const certificate = await selfSign(['-days', String(days), '-subj', '/CN=localhost']);
    const context = createSecureContext({ cert: certificate, key: certificate });
    // Without a certificate of its own, the server refuses connections that name no host, as the shipped nginx does.
    const https = createServer({ SNICallback: (_host, done) => done(null, context) }, (_request, response) => {
      response.writeHead(200, headers).end('One, two, three.');
    });
    const port = await listen(https, { host: '127.0.0.1', port: 0 });
    return closing({ url: `https://localhost:${port}`, certificate, close: () => https.close() });
  });

  /** Returns the finding as of the given number of days from now. */
  async function daysLater(passed: number, url = server.url) {
    const clock = install({ now: Date.now() + passed * dayMilliseconds, toFake: ['Date'] });
    const [finding] = await checkCertificate(loadConfig({ PUBLIC_URL: url })).finally(() => clock.uninstall());
    return `${finding?.outcome}: ${finding?.text}`;
  }

  it('reports when the certificate at PUBLIC_URL expires, and fails during its last week', async () => {
    expect(await daysLater(0)).to.match(
      /^ok: The certificate at PUBLIC_URL expires on \d{4}-\d\d-\d\d, in (89|90) days\.$/,
    );
    expect(await daysLater(days - 6)).to.match(
      /^FAILED: The certificate at PUBLIC_URL expires on .*, in [56] days\. Renew it\.$/,
    );
    expect(await daysLater(days + 1)).to.match(
      /^FAILED: The certificate at PUBLIC_URL expired on \d{4}-\d\d-\d\d\. Renew it\.$/,
    );
  });

  it('also checks whether Strict-Transport-Security arrives', async () => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, server.certificate]);
    const findings = async () =>
      (await checkPublicUrl(loadConfig({ PUBLIC_URL: server.url }))).map(formatResult).join('\n');
    try {
      headers = { 'Strict-Transport-Security': 'max-age=31536000' };
      expect(await findings()).to.match(/^ok +PUBLIC_URL +HSTS is enabled\.$/m);
      headers = {};
      expect(await findings()).to.match(/^FAILED +PUBLIC_URL +Strict-Transport-Security is missing\./m);
    } finally {
      setDefaultCACertificates(trusted);
    }
  });

  it('fails if no certificate can be read', async () => {
    expect(await daysLater(0, 'https://localhost:9')).to.match(
      /^FAILED: The certificate at PUBLIC_URL cannot be read: connect ECONNREFUSED/,
    );
  });
});
