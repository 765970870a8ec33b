import { expect } from 'chai';
import { describe, it } from 'mocha';
import { limits, type Route, routeTable } from '../../../shared/route-table.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp } from '../../support/test-app.ts';

/** The limits whose error can be shown as a page. */
const surfaces = Object.values<Route>(routeTable).flatMap(({ method, path, limit: name }) => {
  if (name === undefined || !('sentence' in limits[name])) return [];
  return [{ ...limits[name], name, method, path: path.replace('{provider}', 'google') }];
});

describe('the rate limits by client address', () => {
  const app = perSuite(() =>
    createTestApp({ limits: Object.fromEntries(surfaces.map(({ name }) => [name, 1])), clock: () => 0 }),
  );

  for (const { name, method, path, sentence, windowSeconds } of surfaces) {
    it(`return 429 with a message and Retry-After above the ${name} limit, and admit other addresses`, async () => {
      const send = (address: string) =>
        fetch(app.url + path, { method, redirect: 'manual', headers: { 'X-Forwarded-For': address } });
      expect((await send('203.0.113.1')).status).not.to.equal(429);
      const refused = await send('203.0.113.1');
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(refused.headers.get('retry-after')).to.equal(String(windowSeconds));
      expect(refused.headers.getSetCookie()).to.deep.equal([]);
      expect(await refused.text()).to.equal(`RATE_LIMITED: ${sentence} Try again in ${windowSeconds} seconds.`);
      expect((await send('198.51.100.1')).status).not.to.equal(429);
    });
  }
});
