import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { MemoryWindow } from '../../../server/limits/memory-window.ts';
import { createFakeClock } from './fake-clock.ts';

const maxKeys = 1000;

/** Long after the clock's zero: what came a window ago has a time of its own. */
const startedAt = 100_000;

describe('MemoryWindow, when more keys come than it holds', () => {
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

  it('holds no more, and keeps the latest, of a hundred thousand', async () => {
    await flood(100_000);
    let held = 0;
    for (let key = 0; key < 100_000; key += 1) held += await countOf(`invented ${key}`);
    expect(held).to.equal(maxKeys);
    expect(await countOf('invented 98999')).to.equal(0);
    expect(await countOf('invented 99000')).to.equal(1);
  });

  it('keeps refusing a client at its limit', async () => {
    for (let request = 0; request < 3; request += 1) await take('client');
    await flood(10 * maxKeys);
    expect(await take('client')).to.equal(false);
    clock.advance(60_000);
    expect(await take('client')).to.equal(true);
  });

  it('keeps the count of a client that has more requests than those who come once', async () => {
    await take('client');
    await take('client');
    await flood(10 * maxKeys);
    expect(await countOf('client')).to.equal(2);
    expect([await take('client'), await take('client')]).to.deep.equal([true, false]);
  });

  it('displaces the longest unused of those with the fewest requests', async () => {
    await flood(maxKeys);
    await take('invented 0');
    await take('one more');
    expect(await countOf('invented 0')).to.equal(2);
    expect(await countOf('invented 1')).to.equal(0);
    expect(await countOf('invented 2')).to.equal(1);
  });

  it('refuses a newcomer while every key is at its limit, and takes it when one has aged out', async () => {
    for (let key = 0; key < maxKeys; key += 1) {
      clock.moveTo(startedAt + key);
      for (let request = 0; request < 3; request += 1) await take(`client ${key}`);
    }
    expect(await take('newcomer')).to.equal(false);
    expect(await take('client 0')).to.equal(false);
    clock.moveTo(startedAt + 60_001);
    expect(await take('newcomer')).to.equal(true);
    expect(await take('client 1')).to.equal(true);
    expect(await take('client 2')).to.equal(false);
  });
});
