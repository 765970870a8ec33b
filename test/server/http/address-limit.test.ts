import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { limits, type Route, routeTable } from '../../../shared/route-table.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp, post } from '../../support/test-app.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { createFakeClock } from '../limits/fake-clock.ts';

/** The limits whose error can be shown as a page. */
const surfaces = Object.values<Route>(routeTable).flatMap(({ method, path, limit: name }) => {
  if (name === undefined || !('sentence' in limits[name])) return [];
  return [{ ...limits[name], name, method, path: path.replace('{provider}', 'google') }];
});

describe('the rate limits by client address', () => {
  const clock = createFakeClock();
  let visitors = 0;
  let address: string;

  const app = perSuite(() =>
    createTestApp({
      limits: Object.fromEntries(surfaces.map(({ name }) => [name, 2])),
      clock: clock.read,
    }),
  );
  beforeEach(() => {
    visitors += 1;
    address = `203.0.113.${visitors}`;
  });

  const send = ({ method, path }: { method: string; path: string }, headers = {}) =>
    fetch(app.url + path, { method, redirect: 'manual', headers: { 'X-Forwarded-For': address, ...headers } });

  for (const surface of surfaces) {
    it(`return 429 with a message and Retry-After above the ${surface.name} limit, until the window has passed`, async () => {
      for (let count = 0; count < 2; count += 1) {
        expect((await send(surface)).status).not.to.equal(429);
        clock.advance(1000);
      }
      const refused = await send(surface);
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      const wait = surface.windowSeconds - 2;
      expect(refused.headers.get('retry-after')).to.equal(String(wait));
      expect(refused.headers.getSetCookie()).to.deep.equal([]);
      expect(await refused.text()).to.equal(`RATE_LIMITED: ${surface.sentence} Try again in ${wait} seconds.`);
      expect((await send(surface, { 'X-Forwarded-For': '198.51.100.1' })).status, 'another address').not.to.equal(429);
      clock.advance(wait * 1000);
      expect((await send(surface)).status).not.to.equal(429);
    });
  }

  it('apply to onboarding before the session is read', async () => {
    const { cookie } = await app.person({ onboarded: false });
    const closed = await createTestDatabase();
    await closed.close();
    await using stranded = await createTestApp({ shared: { storage: closed }, limits: { onboarding: 1 } });
    const send = () => post(`${stranded.url}/onboarding`, {}, { Cookie: cookie });
    expect((await send()).status).to.equal(500);
    expect((await send()).status).to.equal(429);
  });
});
