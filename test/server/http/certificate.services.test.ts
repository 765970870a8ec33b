import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readCertificate, watchCertificate } from '../../../server/http/certificate.ts';
import { createHttpServer, type HttpServer, listen } from '../../../server/http/http-server.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { createTlsFiles, shownCertificate } from '../../support/certificates.ts';
import { eventually } from '../../support/eventually.ts';
import { ofEachTest } from '../../support/of-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';

describe('watchCertificate', function () {
  this.timeout(15_000);
  let server: HttpServer;
  let watch: ReturnType<typeof watchCertificate>;
  let url: string;
  let lines: { msg: string }[];

  afterEach(() => {
    watch.stop();
    server.close();
  });
  const directory = ofEachTest(() => temporaryDirectory());
  const files = ofEachTest(() => createTlsFiles(directory.path));
  beforeEach(async () => {
    lines = [];
    const logger = createLogger({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const current = await readCertificate(files);
    const created = createHttpServer({ tls: current, logger });
    server = created.server;
    url = `https://localhost:${await listen(server, { host: '127.0.0.1', port: 0 })}`;
    watch = watchCertificate({ files, current, use: created.useCertificate, logger, intervalMilliseconds: 5 });
  });

  const shows = (fingerprint: string) =>
    eventually(async () => ((await shownCertificate(url)) === fingerprint ? true : undefined));

  it('finds by itself that a link leads to other files, and that files have other contents', async () => {
    await shows(await files.renew());
    const kept = join(directory.path, 'kept.pem');
    const keptKey = join(directory.path, 'kept.key');
    await copyFile(files.certFile, kept);
    await copyFile(files.keyFile, keptKey);
    await shows(await files.renew());
    // One after the other, as some programs write them: between the two they do not belong together.
    await copyFile(kept, files.certFile);
    await copyFile(keptKey, files.keyFile);
    await eventually(() => (lines.filter(({ msg }) => msg.startsWith('another TLS')).length >= 3 ? true : undefined));
  });
});
