import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createStoredCooldown } from '../../../client/chat/cooldown.ts';
import { answersWith, fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { isRetrying, until } from '../../../client-package/testing/until.ts';
import { perTest } from '../../support/per-suite.ts';
import { harnessPerTest } from './conversation-harness.ts';

const hourSeconds = 3600;

describe('createStoredCooldown', () => {
  const clock = perTest(() => createFakeClock());
  const storage = perTest(() => createFakeStorage());
  const cooldown = perTest(() => createStoredCooldown(storage, 'blocked', clock));

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
    const wall = String(clock.now() + 1000);
    for (const value of ['', 'soon', 'NaN', '{}', wall, '["soon", 20]', '[1e15]', '[1e15, 90001]']) {
      storage.setItem('blocked', value);
      expect(cooldown.load(), value).to.equal(null);
      expect(storage.items.size, value).to.equal(0);
    }
  });
});

describe('A conversation with a cooldown', () => {
  const { backend, clock, open, storage } = harnessPerTest();

  it('stays blocked after a reload until the wait of a 429 has elapsed, even if the clock was set back', async () => {
    let setBackMilliseconds = 0;
    const now = () => clock.now() - setBackMilliseconds;
    const options = { clock: { ...clock, now }, cooldown: createStoredCooldown(storage, 'blocked', { now }) };
    backend.answer(answersWith(429, 'RATE_LIMITED: Too many requests.', { 'Retry-After': '20' }), replies('Week 3.'));
    const first = open(options);
    const sent = first.send('Where do we stand?');
    await until(first, isRetrying);
    setBackMilliseconds = 3 * hourSeconds * 1000;
    await clock.advance(5_000);
    const reloaded = open(options);
    expect(reloaded.getState().cooldownUntil).to.equal(clock.steadyNow() + 20_000);

    await clock.advance(15_000);
    expect(await sent).to.deep.equal({ type: 'done' });
    await clock.advance(5_000);
    expect(reloaded.getState().cooldownUntil).to.equal(null);
  });

  it('allows a question once the cooldown is cleared, also after a reload', async () => {
    const cooldown = createStoredCooldown(storage, 'blocked', clock);
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: hourSeconds }), replies('Week 3.'));
    const conversation = open({ cooldown });
    await conversation.send('Where do we stand?');
    expect(open({ cooldown }).getState().cooldownUntil).to.equal(clock.steadyNow() + hourSeconds * 1000);
    conversation.clear();
    expect(storage.getItem('blocked')).to.equal(null);
    expect(open({ cooldown }).getState().cooldownUntil).to.equal(null);
    expect(await conversation.send('Where do we stand?')).to.deep.equal({ type: 'done' });
  });
});
