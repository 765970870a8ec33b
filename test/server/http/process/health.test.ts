import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createTestApp, question, type TestApp } from '../../../support/test-app.ts';
import { createTestDatabase } from '../../../support/test-database.ts';

describe('GET /readyz', () => {
  let app: TestApp;

  before(async () => {
    const storage = await createTestDatabase();
    app = await createTestApp({ shared: { storage } });
    await storage.close();
  });
  after(() => app.close());

  const readiness = async () => {
    const response = await fetch(`${app.url}/readyz`);
    return [response.status, await response.json()];
  };

  it('is 200 while the database is away: it is away for every instance, and demo chat goes on', async () => {
    expect(await readiness()).to.deep.equal([200, { ready: true, draining: false }]);
    expect((await app.demo(question())).status).to.equal(200);
  });

  it('is 503 once the process is on its way out', async () => {
    app.draining.abort();
    expect(await readiness()).to.deep.equal([503, { ready: false, draining: true }]);
  });
});
