import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { createBrowser, locationOf } from '../support/browser.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { required, testDatabaseUrl } from '../support/services.ts';
import { createTestApp, question } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';

const hourSeconds = 3600;
const dayMilliseconds = 24 * hourSeconds * 1000;

// Only the instance's clock is wrong; the database server's clock is correct.
describe('An instance with a wrong clock', () => {
  let clock: Clock | undefined;

  afterEach(() => clock?.uninstall());
  const storage = perSuite(() => {
    required(testDatabaseUrl);
    return createTestDatabase();
  });
  const app = perSuite(() => createTestApp({ shared: { storage } }));
  const setClock = (days: number) => {
    clock = install({ toFake: ['Date'], now: Date.now() + days * dayMilliseconds });
  };
  const daysLeft = async () => {
    const [row] = await storage.rows(
      'select round(extract(epoch from max(expire) - now()) / 86400)::int as days from sessions',
    );
    return row?.days;
  };

  // More than the longest lifetime of a session.
  for (const days of [100, -100]) {
    it(`expires no session and deletes no conversation if its clock is ${Math.abs(days)} days ${days > 0 ? 'ahead' : 'behind'}`, async () => {
      const avery = await app.person();
      const stored = await storage.rows('select sid from sessions');
      setClock(days);
      await storage.database.sessionStore.prune();
      const response = await app.live(avery, question());
      expect([response.status, await response.text()]).to.deep.equal([200, defaultReply.text]);
      expect(await storage.rows('select sid from sessions')).to.deep.equal(stored);
      expect(await storage.database.prune(30, 'service')).to.include({ conversations: 0 });
    });

    it(`creates and renews sessions for thirty days if its clock is ${Math.abs(days)} days ${days > 0 ? 'ahead' : 'behind'}`, async () => {
      await storage.rows('delete from sessions');
      setClock(days);
      const avery = await app.person();
      expect(await daysLeft()).to.equal(30);
      await storage.rows(
        `update sessions set expire = now() + interval '9 days',
          sess = sess::jsonb || jsonb_build_object('renewedAt', (extract(epoch from now()) * 1000)::bigint - 2 * 86400000)`,
      );
      expect((await app.live(avery, question())).status).to.equal(200);
      expect(await daysLeft()).to.equal(30);
      clock?.uninstall();
      expect((await app.live(avery, question())).status).to.equal(200);
    });
  }

  for (const [direction, hours] of [
    ['forward', 1],
    ['back', -1],
  ] as const) {
    it(`enforces limits and accepts sign-in attempts after its clock has been set an hour ${direction}`, async () => {
      const demo = (address: string) => app.demo(question(), { 'X-Forwarded-For': `${address} ${direction}` });
      for (let count = 0; count < 15; count += 1) expect((await demo('limited')).status).to.equal(200);
      const signingIn = createBrowser(app.url);
      const state = new URL(await signingIn.addressAtProvider('github')).searchParams.get('state');
      setClock(hours / 24);

      const refused = await demo('limited');
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, hourSeconds);
      expect((await demo('new')).status).to.equal(200);
      // "unavailable" means that the code was sent to the provider, which happens only if the attempt is still valid.
      const callback = await signingIn.request(`/auth/github/callback?code=invented&state=${state}`);
      expect(locationOf(callback)).to.equal('/sign-in?problem=unavailable');
    });
  }

  it('creates invitations that are valid for the requested number of days', async () => {
    setClock(-100);
    await storage.administration.invite({ days: 7 });
    const [row] = await storage.rows(
      'select round(extract(epoch from max(expires_at) - now()) / 86400)::int as days from invitations',
    );
    expect(row?.days).to.equal(7);
  });

  it('measures the offset of its clock from the clock of the database', async () => {
    setClock(100);
    const { clockAheadSeconds } = await storage.database.ping();
    expect(clockAheadSeconds).to.be.closeTo(100 * 86_400, 60);
  });
});
