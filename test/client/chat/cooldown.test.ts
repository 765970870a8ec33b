import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type Cooldown, createStoredCooldown } from '../../../client/chat/cooldown.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';

const hour = 3_600_000;

describe('createStoredCooldown', () => {
  let clock: FakeClock;
  let storage: FakeStorage;
  let cooldown: Cooldown;

  beforeEach(() => {
    clock = createFakeClock();
    storage = createFakeStorage();
    cooldown = createStoredCooldown(storage, 'blocked', clock);
  });

  it('returns the stored time until it has passed, and then removes it', async () => {
    expect(cooldown.load()).to.equal(null);
    const until = clock.now() + hour;
    cooldown.save(until);
    await clock.advance(hour - 1);
    expect(cooldown.load()).to.equal(until);
    await clock.advance(1);
    expect(cooldown.load()).to.equal(null);
    expect(storage.items.size).to.equal(0);
  });

  it('ignores an invalid value, and a time later than any limit of the service can cause', () => {
    cooldown.save(clock.now() + 26 * hour);
    expect(cooldown.load()).to.equal(null);
    for (const value of ['', 'soon', 'NaN', 'Infinity', '{}']) {
      storage.setItem('blocked', value);
      expect(cooldown.load(), value).to.equal(null);
    }
  });
});
