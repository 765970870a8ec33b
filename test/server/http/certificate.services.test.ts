import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { readCertificate, watchCertificate } from '../../../server/http/certificate.ts';
import { createHttpServer, type HttpServer, listen } from '../../../server/http/http-server.ts';
import { createTlsFiles, servedCertificateFingerprint } from '../../support/certificates.ts';
import { eventually } from '../../support/eventually.ts';
import { perTest } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';

describe('watchCertificate', function () {
  this.timeout(15_000);
  let server: HttpServer;
  let watch: ReturnType<typeof watchCertificate>;
  let url: string;

  afterEach(() => {
    watch.stop();
    server.close();
  });
  const directory = perTest(() => temporaryDirectory());
  const files = perTest(() => createTlsFiles(directory.path));
  beforeEach(async () => {
    const logger = pino({ level: 'silent' });
    const current = await readCertificate(files);
    const created = createHttpServer({ tls: current, logger });
    server = created.server;
    url = `https://localhost:${await listen(server, { host: '127.0.0.1', port: 0 })}`;
    watch = watchCertificate({ files, current, use: created.useCertificate, logger, intervalMilliseconds: 5 });
  });

  const shows = (fingerprint: string) =>
    eventually(async () => ((await servedCertificateFingerprint(url)) === fingerprint ? true : undefined));

  it('uses the new certificate after a symbolic link has been switched', async () => {
    await shows(await files.renew());
  });
});
