import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { MemoryWindow } from '../../../server/limits/memory-window.ts';
import { createFakeClock } from './fake-clock.ts';

const maxKeys = 1000;

/** Starts more than one window after zero, so that no time in the test is negative. */
const startedAt = 100_000;

describe('MemoryWindow at its maximum number of keys', () => {
  let clock: ReturnType<typeof createFakeClock>;
  let window: MemoryWindow;

  beforeEach(() => {
    clock = createFakeClock(startedAt);
    window = new MemoryWindow({ points: 3, duration: 60, clock: clock.read, maxKeys });
  });

  const take = (key: string) =>
    window.consume(key).then(
      () => true,
      () => false,
    );
  const countOf = async (key: string) => (await window.consume(key, 0)).consumedPoints;

  async function flood(keys: number) {
    for (let key = 0; key < keys; key += 1) await take(`invented ${key}`);
  }

  it('holds the latest of a hundred thousand keys, and never more keys than the maximum', async () => {
    await flood(100_000);
    let held = 0;
    for (let key = 0; key < 100_000; key += 1) held += await countOf(`invented ${key}`);
    expect(held).to.equal(maxKeys);
    expect(await countOf('invented 98999')).to.equal(0);
    expect(await countOf('invented 99000')).to.equal(1);
  });

  it('retains a client with two requests, and one at its limit, during a flood of keys with one request each', async () => {
    await take('client');
    await take('client');
    await flood(10 * maxKeys);
    expect(await countOf('client')).to.equal(2);
    expect([await take('client'), await take('client')]).to.deep.equal([true, false]);
    await flood(10 * maxKeys);
    expect(await take('client')).to.equal(false);
    clock.advance(60_000);
    expect(await take('client')).to.equal(true);
  });

  it('evicts the least recently used of the keys with the fewest requests', async () => {
    await flood(maxKeys);
    await take('invented 0');
    await take('one more');
    expect(await countOf('invented 0')).to.equal(2);
    expect(await countOf('invented 1')).to.equal(0);
    expect(await countOf('invented 2')).to.equal(1);
  });

  it('refuses a new key while all keys are at their limit, and admits it once a request of another key expires', async () => {
    for (let key = 0; key < maxKeys; key += 1) {
      for (let request = 0; request < 3; request += 1) await take(`client ${key}`);
      clock.advance(1);
    }
    expect(await take('new client')).to.equal(false);
    expect(await take('client 0')).to.equal(false);
    clock.advance(60_001 - maxKeys);
    expect(await take('new client')).to.equal(true);
    expect(await take('client 1')).to.equal(true);
    expect(await take('client 2')).to.equal(false);
  });
});
