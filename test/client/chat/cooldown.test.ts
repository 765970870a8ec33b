import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import { type Cooldown, createStoredCooldown } from '../../../client/chat/cooldown.ts';
import { answersWith, fails, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { isRetrying, until } from '../../../client-package/testing/until.ts';

const hourSeconds = 3600;

describe('createStoredCooldown', () => {
  let clock: FakeClock;
  let storage: FakeStorage;
  let cooldown: Cooldown;

  beforeEach(() => {
    clock = createFakeClock();
    storage = createFakeStorage();
    cooldown = createStoredCooldown(storage, 'blocked', clock);
  });

  it('returns the remaining time, and removes the stored wait once it is over', async () => {
    expect(cooldown.load()).to.equal(null);
    cooldown.save(hourSeconds);
    await clock.advance(hourSeconds * 1000 - 1);
    expect(cooldown.load()).to.equal(0.001);
    await clock.advance(1);
    expect(cooldown.load()).to.equal(null);
    expect(storage.items.size).to.equal(0);
  });

  it('returns at most the time that was saved if the clock is set back, and counts down from there', async () => {
    cooldown.save(20);
    const setBack = createStoredCooldown(storage, 'blocked', { now: () => clock.now() - 3 * hourSeconds * 1000 });
    expect(setBack.load()).to.equal(20);
    await clock.advance(5_000);
    expect(setBack.load()).to.equal(15);
  });

  it('ignores and removes an invalid value', () => {
    for (const value of [
      '',
      'soon',
      'NaN',
      '{}',
      String(clock.now() + 1000),
      '["soon", 20]',
      '[1e15]',
      '[1e15, 90001]',
    ]) {
      storage.setItem('blocked', value);
      expect(cooldown.load(), value).to.equal(null);
      expect(storage.items.size, value).to.equal(0);
    }
  });
});

describe('A conversation with a cooldown', () => {
  it('stays blocked after a reload until the wait of a 429 has elapsed, even if the clock was set back', async () => {
    await using backend = await startFakeBackend();
    const clock = createFakeClock();
    let setBackMilliseconds = 0;
    const now = () => clock.now() - setBackMilliseconds;
    const cooldown = createStoredCooldown(createFakeStorage(), 'blocked', { now });
    const open = () => createConversation({ url: backend.url, fetch, clock: { ...clock, now }, cooldown });
    backend.answer(answersWith(429, 'RATE_LIMITED: Too many requests.', { 'Retry-After': '20' }), replies('Week 3.'));
    const first = open();
    const sent = first.send('Where do we stand?');
    await until(first, isRetrying);
    setBackMilliseconds = 3 * hourSeconds * 1000;
    await clock.advance(5_000);
    const reloaded = open();
    expect(reloaded.getState().cooldownUntil).to.equal(clock.steadyNow() + 20_000);

    await clock.advance(15_000);
    expect(await sent).to.deep.equal({ type: 'done' });
    await clock.advance(5_000);
    expect(reloaded.getState().cooldownUntil).to.equal(null);
  });

  it('allows a question once the cooldown is cleared, also after a reload', async () => {
    await using backend = await startFakeBackend();
    const clock = createFakeClock();
    const storage = createFakeStorage();
    const cooldown = createStoredCooldown(storage, 'blocked', clock);
    const open = () => createConversation({ url: backend.url, clock, cooldown });
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: hourSeconds }), replies('Week 3.'));
    const conversation = open();
    await conversation.send('Where do we stand?');
    expect(open().getState().cooldownUntil).to.equal(clock.steadyNow() + hourSeconds * 1000);
    conversation.clear();
    expect(storage.items.size).to.equal(0);
    expect(open().getState().cooldownUntil).to.equal(null);
    expect(await conversation.send('Where do we stand?')).to.deep.equal({ type: 'done' });
  });
});
