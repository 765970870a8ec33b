import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWebLock } from '../../../client/chat/turn-lock.ts';

describe('createWebLock', () => {
  it('grants the lock to one holder at a time, and to the next as soon as it is released', async () => {
    // Node implements Web Locks; no other test uses this name.
    const { locks } = navigator;
    const [one, other] = [createWebLock(locks, 'lock:ada'), createWebLock(locks, 'lock:ada')];
    const release = await one.take();
    expect(await other.take()).to.equal(null);
    expect(await other.isHeld()).to.equal(true);
    release?.();
    const releaseAgain = await one.take();
    expect(releaseAgain).to.be.a('function');
    releaseAgain?.();
  });

  const denies = () => Promise.reject(new DOMException('No locks here.', 'SecurityError'));
  for (const [title, lock] of [
    ['has no Web Locks', createWebLock(undefined, 'lock:ada')],
    ['denies locks', createWebLock({ request: denies, query: denies }, 'lock:ada')],
  ] as const) {
    it(`allows every turn if the browser ${title}`, async () => {
      expect(await lock.take()).to.be.a('function');
      expect(await lock.take()).to.be.a('function');
      expect(await lock.isHeld()).to.equal(false);
    });
  }
});
