import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { createFakeClock } from '../server/limits/fake-clock.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { createInstance } from './support/instance.ts';

type Person = Awaited<ReturnType<TestApp['person']>>;
type Send = () => Promise<Response>;

/** What became of `count` requests, one after another. */
async function statuses(count: number, send: Send): Promise<number[]> {
  const found = [];
  for (let sent = 0; sent < count; sent += 1) {
    const response = await send();
    await response.text();
    found.push(response.status);
  }
  return found;
}

const admitted = (count: number): number[] => Array.from({ length: count }, () => 200);

const longestWindowMilliseconds = 3_600_000;

describe('Limits', () => {
  const address = '203.0.113.1';
  let storage: TestDatabase;
  let clock: ReturnType<typeof createFakeClock>;
  let app: TestApp;
  let avery: Person;
  let blake: Person;

  const live = (person: Person, headers?: Record<string, string>, at = app) => at.live(person, question(), headers);
  const demoFrom = (from: string, at = app) => at.demo(question(), { 'X-Forwarded-For': from });

  before(async () => {
    storage = await createTestDatabase();
    clock = createFakeClock();
    app = await createTestApp({ shared: { storage }, clock: clock.read });
    avery = await app.person();
    blake = await app.person({ who: 'blake@example.com' });
  });
  beforeEach(() => clock.advance(longestWindowMilliseconds));
  after(async () => {
    await app.close();
    await storage.close();
  });

  for (const { row, surface, most, windowSeconds, send } of [
    { row: 121, surface: 'L', most: 60, windowSeconds: 60, send: () => live(avery) },
    { row: 122, surface: 'D', most: 15, windowSeconds: 3600, send: () => demoFrom(address) },
  ]) {
    const windowMilliseconds = windowSeconds * 1000;

    it(`${row} ${surface} request ${most + 1} within ${windowSeconds} s is 429`, async () => {
      expect(await statuses(most, send)).to.deep.equal(admitted(most));
      clock.advance(windowMilliseconds - 1);
      const refused = await send();
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('retry-after')).to.equal('1');
    });

    it(`123 ${surface} the window slides: each request leaves a place as it ages out`, async () => {
      const early = most / 3;
      const late = most - early;
      expect(await statuses(early, send)).to.deep.equal(admitted(early));
      clock.advance(windowMilliseconds - 1);
      expect(await statuses(late, send)).to.deep.equal(admitted(late));
      clock.advance(1);
      expect(await statuses(early + 2, send)).to.deep.equal([...admitted(early), 429, 429]);
      clock.advance(windowMilliseconds - 1);
      expect(await statuses(late + 1, send)).to.deep.equal([...admitted(late), 429]);
    });

    it(`124 ${surface} after Retry-After the next is admitted`, async () => {
      await statuses(most, send);
      clock.advance(12_345);
      const refused = await send();
      const seconds = windowSeconds - 12;
      expect(refused.headers.get('retry-after')).to.equal(String(seconds));
      clock.advance((seconds - 1) * 1000);
      expect(await statuses(1, send)).to.deep.equal([429]);
      clock.advance(1000);
      expect(await statuses(1, send)).to.deep.equal([200]);
    });

    it(`130 ${surface} of 100 requests at once exactly ${most} are admitted`, async () => {
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => statuses(1, send)));
      expect(outcomes.flat().toSorted()).to.deep.equal([...admitted(most), ...Array(100 - most).fill(429)]);
    });
  }

  it('125 one user over many addresses and sessions has one budget', async () => {
    const elsewhere = await app.person();
    expect(elsewhere.user.id).to.equal(avery.user.id);
    expect(elsewhere.cookie).not.to.equal(avery.cookie);
    let sent = 0;
    const send = () => {
      sent += 1;
      const from = `203.0.113.${sent}`;
      return live(sent % 2 === 0 ? avery : elsewhere, { 'X-Forwarded-For': from, 'X-Real-IP': from });
    };
    expect(await statuses(62, send)).to.deep.equal([...admitted(60), 429, 429]);
  });

  it('126 two users at one address have two', async () => {
    const there = { 'X-Forwarded-For': address, 'X-Real-IP': address };
    expect(await statuses(61, () => live(avery, there))).to.deep.equal([...admitted(60), 429]);
    expect(await statuses(61, () => live(blake, there))).to.deep.equal([...admitted(60), 429]);
  });

  it('127 the address is the first token of X-Forwarded-For, trimmed', async () => {
    const spellings = [
      { 'X-Forwarded-For': address },
      { 'X-Forwarded-For': `  ${address}  ` },
      { 'X-Forwarded-For': `${address},198.51.100.1` },
      { 'X-Forwarded-For': `\t${address} , 198.51.100.2, 198.51.100.3`, 'X-Real-IP': '198.51.100.4' },
    ];
    let sent = 0;
    const send = () => {
      sent += 1;
      return app.demo(question(), spellings[sent % spellings.length]);
    };
    expect(await statuses(19, send)).to.deep.equal([...admitted(15), 429, 429, 429, 429]);
    expect(await statuses(1, () => demoFrom(`198.51.100.1, ${address}`)), 'the second token').to.deep.equal([200]);
  });

  it('128 without one it is X-Real-IP', async () => {
    const byRealIp = (ip: string) => () => app.demo(question(), { 'X-Real-IP': ip });
    expect(await statuses(15, byRealIp(address))).to.deep.equal(admitted(15));
    expect(await statuses(1, byRealIp(` ${address} `))).to.deep.equal([429]);
    expect(
      await statuses(1, () => app.demo(question(), { 'X-Forwarded-For': ' ', 'X-Real-IP': address })),
    ).to.deep.equal([429]);
    expect(await statuses(1, byRealIp('203.0.113.2'))).to.deep.equal([200]);
    expect(await statuses(1, () => demoFrom('203.0.113.3')), 'X-Forwarded-For counts first').to.deep.equal([200]);
  });

  it('129 live and demo chat are counted apart', async () => {
    const there = { 'X-Forwarded-For': address, Cookie: avery.cookie };
    expect(await statuses(16, () => app.demo(question(), there))).to.deep.equal([...admitted(15), 429]);
    expect(await statuses(61, () => live(avery, there))).to.deep.equal([...admitted(60), 429]);
    const elsewhere = { 'X-Forwarded-For': '203.0.113.2', Cookie: blake.cookie };
    expect(await statuses(61, () => live(blake, elsewhere))).to.deep.equal([...admitted(60), 429]);
    expect(await statuses(16, () => app.demo(question(), elsewhere))).to.deep.equal([...admitted(15), 429]);
  });

  it('132 without Redis counts are per process and forgotten at a restart', async () => {
    await statuses(60, () => live(avery));
    await statuses(15, () => demoFrom(address));
    for (const what of ['another process', 'a restarted one']) {
      const instance = await createInstance({ shared: { storage }, clock: clock.read });
      expect(await statuses(61, () => live(avery, {}, instance)), what).to.deep.equal([...admitted(60), 429]);
      expect(await statuses(16, () => demoFrom(address, instance)), what).to.deep.equal([...admitted(15), 429]);
    }
    expect(await statuses(1, () => live(avery))).to.deep.equal([429]);
  });
});
