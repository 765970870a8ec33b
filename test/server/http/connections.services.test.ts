import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { type Certificate, readCertificate } from '../../../server/http/certificate.ts';
import { createTlsFiles } from '../../support/certificates.ts';
import { perSuite } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { createHastyServer, hold, itClosesHeldConnections } from './held-connections.ts';

describe('a TLS connection', () => {
  let tls: Certificate;
  const directory = perSuite(() => temporaryDirectory());
  before(async () => {
    tls = await readCertificate(await createTlsFiles(directory.path));
  });
  const server = perSuite(() => createHastyServer({ tls }));

  itClosesHeldConnections(server, { encrypted: true, tls: () => tls });

  it('is closed by the server if the client never starts the handshake', async () => {
    expect(await hold(server, { first: '' })).to.deep.equal([]);
  });
});
