import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createFakeClock } from '../server/limits/fake-clock.ts';
import { perSuite } from '../support/per-suite.ts';
import { createTestApp, type Person, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { connectTestRedis } from '../support/test-redis.ts';

type Send = () => Promise<Response>;

async function statuses(count: number, send: Send): Promise<number[]> {
  const received = [];
  for (let sent = 0; sent < count; sent += 1) {
    const response = await send();
    await response.text();
    received.push(response.status);
  }
  return received;
}

const admitted = (count: number): number[] => Array.from({ length: count }, () => 200);

const maxWindowMilliseconds = 3_600_000;

describe('Limits', () => {
  const address = '203.0.113.1';
  const clock = createFakeClock();

  const storage = perSuite(() => createTestDatabase());
  const app = perSuite(() => createTestApp({ shared: { storage }, clock: clock.read }));
  /** Starts an application with small limits, to save requests: counting is the same for any limit. */
  const startWithSmallLimits = () =>
    createTestApp({ shared: { storage }, clock: clock.read, limits: { live: 6, demo: 3 } });
  const small = perSuite(startWithSmallLimits);
  const avery = perSuite(() => app.person());
  const blake = perSuite(() => app.person({ who: 'blake@example.com' }));

  const live = (person: Person, headers?: Record<string, string>, at = small) => at.live(person, question(), headers);
  const demoFrom = (from: string, at = small) => at.demo(question(), { 'X-Forwarded-For': from });

  beforeEach(() => clock.advance(maxWindowMilliseconds));

  async function expectLimit(limit: number, windowSeconds: number, send: Send): Promise<void> {
    expect(await statuses(limit, send)).to.deep.equal(admitted(limit));
    clock.advance(windowSeconds * 1000 - 1);
    const refused = await send();
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.equal('1');
  }

  it('121 On live chat the 61st request within 60 seconds is 429', () =>
    expectLimit(60, 60, () => live(avery, {}, app)));

  it('122 On demo chat the 16th request within an hour is 429', () =>
    expectLimit(15, 3600, () => demoFrom(address, app)));

  const routes = [
    { limit: 6, windowSeconds: 60, send: () => live(avery) },
    { limit: 3, windowSeconds: 3600, send: () => demoFrom(address) },
  ];

  it('123 The window slides: each request frees its slot when its own window has passed', async () => {
    for (const { limit, windowSeconds, send } of routes) {
      const windowMilliseconds = windowSeconds * 1000;
      const early = limit / 3;
      const late = limit - early;
      expect(await statuses(early, send)).to.deep.equal(admitted(early));
      clock.advance(windowMilliseconds - 1);
      expect(await statuses(late, send)).to.deep.equal(admitted(late));
      clock.advance(1);
      expect(await statuses(early + 2, send)).to.deep.equal([...admitted(early), 429, 429]);
      clock.advance(windowMilliseconds - 1);
      expect(await statuses(late + 1, send)).to.deep.equal([...admitted(late), 429]);
    }
  });

  it('124 The next request is admitted after Retry-After, and not earlier', async () => {
    for (const { limit, windowSeconds, send } of routes) {
      await statuses(limit, send);
      // The wait has a fraction of a second, which must be rounded up.
      clock.advance(12_900);
      const refused = await send();
      const seconds = windowSeconds - 12;
      expect(refused.headers.get('retry-after')).to.equal(String(seconds));
      expect(seconds * 1000).to.be.at.least(windowSeconds * 1000 - 12_900);
      clock.advance((seconds - 1) * 1000);
      expect(await statuses(1, send)).to.deep.equal([429]);
      clock.advance(1000);
      expect(await statuses(1, send)).to.deep.equal([200]);
    }
  });

  it('125 One user with many addresses and sessions has one budget', async () => {
    const elsewhere = await app.person();
    expect(elsewhere.user.id).to.equal(avery.user.id);
    expect(elsewhere.cookie).not.to.equal(avery.cookie);
    let sent = 0;
    const send = () => {
      sent += 1;
      const from = `203.0.113.${sent}`;
      return live(sent % 2 === 0 ? avery : elsewhere, { 'X-Forwarded-For': from, 'X-Real-IP': from });
    };
    expect(await statuses(8, send)).to.deep.equal([...admitted(6), 429, 429]);
  });

  it('126 Two users at one address have separate budgets', async () => {
    const sameAddress = { 'X-Forwarded-For': address, 'X-Real-IP': address };
    expect(await statuses(7, () => live(avery, sameAddress))).to.deep.equal([...admitted(6), 429]);
    expect(await statuses(7, () => live(blake, sameAddress))).to.deep.equal([...admitted(6), 429]);
  });

  it('127 Demo chat counts by the first token of X-Forwarded-For, trimmed', async () => {
    const spellings = [
      { 'X-Forwarded-For': address },
      { 'X-Forwarded-For': `  ${address}  ` },
      { 'X-Forwarded-For': `${address},198.51.100.1` },
      { 'X-Forwarded-For': `\t${address} , 198.51.100.2, 198.51.100.3`, 'X-Real-IP': '198.51.100.4' },
    ];
    let sent = 0;
    const send = () => {
      sent += 1;
      return small.demo(question(), spellings[sent % spellings.length]);
    };
    expect(await statuses(7, send)).to.deep.equal([...admitted(3), 429, 429, 429, 429]);
    expect(await statuses(1, () => demoFrom(`198.51.100.1, ${address}`)), 'the second token').to.deep.equal([200]);
  });

  it('128 Without X-Forwarded-For, demo chat counts by X-Real-IP', async () => {
    const byRealIp = (ip: string) => () => small.demo(question(), { 'X-Real-IP': ip });
    expect(await statuses(3, byRealIp(address))).to.deep.equal(admitted(3));
    expect(await statuses(1, byRealIp(` ${address} `))).to.deep.equal([429]);
    expect(
      await statuses(1, () => small.demo(question(), { 'X-Forwarded-For': ' ', 'X-Real-IP': address })),
    ).to.deep.equal([429]);
    expect(await statuses(1, byRealIp('203.0.113.2'))).to.deep.equal([200]);
    expect(await statuses(1, () => demoFrom('203.0.113.3')), 'X-Forwarded-For takes precedence').to.deep.equal([200]);
  });

  it('129 Live chat and demo chat are counted separately', async () => {
    const sameClient = { 'X-Forwarded-For': address, Cookie: avery.cookie };
    expect(await statuses(4, () => small.demo(question(), sameClient))).to.deep.equal([...admitted(3), 429]);
    expect(await statuses(7, () => live(avery, sameClient))).to.deep.equal([...admitted(6), 429]);
    const elsewhere = { 'X-Forwarded-For': '203.0.113.2', Cookie: blake.cookie };
    expect(await statuses(7, () => live(blake, elsewhere))).to.deep.equal([...admitted(6), 429]);
    expect(await statuses(4, () => small.demo(question(), elsewhere))).to.deep.equal([...admitted(3), 429]);
  });

  it('130 Of 100 concurrent requests, live chat admits exactly 60 and demo chat 15', async () => {
    for (const [limit, send] of [
      [60, () => live(avery, {}, app)],
      [15, () => demoFrom(address, app)],
    ] as const) {
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => statuses(1, send)));
      expect(outcomes.flat().toSorted()).to.deep.equal([...admitted(limit), ...Array(100 - limit).fill(429)]);
    }
  });

  it('132 Without Redis, counts are per process and lost at a restart', async () => {
    await statuses(6, () => live(avery));
    await statuses(3, () => demoFrom(address));
    for (const title of ['another process', 'a restarted process']) {
      await using instance = await startWithSmallLimits();
      expect(await statuses(7, () => live(avery, {}, instance)), title).to.deep.equal([...admitted(6), 429]);
      expect(await statuses(4, () => demoFrom(address, instance)), title).to.deep.equal([...admitted(3), 429]);
    }
    expect(await statuses(1, () => live(avery))).to.deep.equal([429]);
    expect(await statuses(1, () => demoFrom(address))).to.deep.equal([429]);
  });

  it('131 With Redis, instances share counts', async () => {
    await using opened = new AsyncDisposableStack();
    const start = async () => {
      const redis = await connectTestRedis();
      opened.defer(() => redis.disconnect());
      return opened.use(await createTestApp({ shared: { storage }, redis }));
    };
    const pair = [await start(), await start()];
    const third = await start();
    const address = randomUUID();
    for (const { limit, windowSeconds, send } of [
      { limit: 60, windowSeconds: 60, send: (at: TestApp) => at.live(avery, question()) },
      { limit: 15, windowSeconds: 3600, send: (at: TestApp) => demoFrom(address, at) },
    ]) {
      const sent = Array.from({ length: 50 }, () => pair.map((instance) => statuses(1, () => send(instance)))).flat();
      const outcomes = (await Promise.all(sent)).flat();
      expect(outcomes.toSorted()).to.deep.equal([...admitted(limit), ...Array(100 - limit).fill(429)]);

      const refused = await send(third);
      expect(refused.status).to.equal(429);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).to.be.within(1, windowSeconds);
      expect(await refused.text()).to.match(new RegExp(`^RATE_LIMITED: .* ${wait} seconds?\\.$`));
    }
  });
});
