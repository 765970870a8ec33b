import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { loadConfig } from '../../../../server/config/config.ts';
import { createTestApp, post, type TestApp } from '../../../support/test-app.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { createFakeClock } from '../../limits/fake-clock.ts';

const attempts = 'Too many sign-in attempts from your network.';
const surfaces = [
  { limit: 'signInStart', name: 'the start of a sign-in', method: 'GET', path: '/auth/google', sentence: attempts },
  {
    limit: 'signInCallback',
    name: "a sign-in's callback",
    method: 'GET',
    path: '/auth/github/callback?code=invented',
    sentence: attempts,
  },
  {
    limit: 'joining',
    name: 'POST /auth/join',
    method: 'POST',
    path: '/auth/join',
    sentence: attempts,
  },
  {
    limit: 'onboarding',
    name: 'POST /onboarding',
    method: 'POST',
    path: '/onboarding',
    sentence: 'Too many onboarding forms from your network.',
  },
] as const;

describe('the limits by address', () => {
  const clock = createFakeClock();
  let app: TestApp;
  let visitors = 0;
  let address: string;

  before(async () => {
    app = await createTestApp({
      limits: { signInStart: 2, signInCallback: 2, joining: 2, onboarding: 2 },
      clock: clock.read,
    });
  });
  after(() => app.close());
  beforeEach(() => {
    visitors += 1;
    address = `203.0.113.${visitors}`;
  });

  const send = ({ method, path }: { method: string; path: string }, headers = {}) =>
    fetch(app.url + path, { method, redirect: 'manual', headers: { 'X-Forwarded-For': address, ...headers } });

  for (const surface of surfaces) {
    it(`admit 300 requests in ten minutes to ${surface.name}`, () => {
      expect(loadConfig({}).limits[surface.limit]).to.deep.equal({ requests: 300, windowSeconds: 600 });
    });

    it(`refuse an address that has used up ${surface.name}, in words for a page, until the wait is over`, async () => {
      for (let count = 0; count < 2; count += 1) {
        expect((await send(surface)).status).not.to.equal(429);
        clock.advance(1000);
      }
      const refused = await send(surface);
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(refused.headers.get('retry-after')).to.equal('598');
      expect(refused.headers.getSetCookie()).to.deep.equal([]);
      expect(await refused.text()).to.equal(`RATE_LIMITED: ${surface.sentence} Try again in 598 seconds.`);
      expect((await send(surface, { 'X-Forwarded-For': '198.51.100.1' })).status, 'another address').not.to.equal(429);
      clock.advance(598_000);
      expect((await send(surface)).status).not.to.equal(429);
    });
  }

  it('refuse a form before its sender is looked up', async () => {
    const { cookie } = await app.person({ onboarded: false });
    const closed = await createTestDatabase();
    await closed.close();
    await using stranded = await createTestApp({ shared: { storage: closed }, limits: { onboarding: 1 } });
    const send = () => post(`${stranded.url}/onboarding`, {}, { Cookie: cookie });
    expect((await send()).status).to.equal(500);
    expect((await send()).status).to.equal(429);
  });

  it('are each by themselves: who can start no sign-in any more can still finish one, over all providers', async () => {
    for (const name of ['google', 'github', 'microsoft']) {
      await send({ method: 'GET', path: `/auth/${name}` });
    }
    const callback = await send({ method: 'GET', path: '/auth/google/callback' });
    expect(callback.status).to.equal(302);
  });

  it("take nothing of another site's page", async () => {
    for (const surface of surfaces.filter(({ method }) => method === 'POST')) {
      for (let count = 0; count < 3; count += 1) {
        expect((await send(surface, { 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(403);
      }
      expect((await send(surface)).status).to.equal(401);
    }
  });

  it('leave the session alone', async () => {
    for (let count = 0; count < 10; count += 1) {
      expect((await send({ method: 'GET', path: '/auth/session' })).status).to.equal(200);
    }
  });
});
