import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readCertificate } from '../../../server/http/certificate.ts';
import { createTlsFiles } from '../../support/certificates.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { createHastyServer, hold, holdingClients } from './held-connections.ts';

describe('a TLS connection', () => {
  const directory = ofSuite(() => temporaryDirectory());
  const server = ofSuite(async () => {
    const tls = await readCertificate(await createTlsFiles(directory.path));
    return createHastyServer({ tls });
  });

  for (const [behaviour, { statuses, ...sent }] of Object.entries(holdingClients)) {
    it(`is closed by the server if its client ${behaviour}`, async () => {
      expect(await hold(server, sent, { encrypted: true })).to.deep.equal(statuses);
    });
  }

  it('is closed if its client sends nothing and leaves during the handshake', async () => {
    expect(await hold(server, { first: '' })).to.deep.equal([]);
  });
});
