import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWebLock, noLock } from '../../../client/chat/turn-lock.ts';

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

  it('allows every turn if the browser has no Web Locks', async () => {
    const [one, other] = [createWebLock(undefined, 'lock:ada'), createWebLock(undefined, 'lock:ada')];
    expect(await one.take()).to.be.a('function');
    expect(await other.take()).to.be.a('function');
    expect(await other.isHeld()).to.equal(false);
  });

  it('allows every turn if the browser denies locks', async () => {
    const denying = {
      request: () => Promise.reject(new DOMException('No locks here.', 'SecurityError')),
      query: () => Promise.reject(new DOMException('No locks here.', 'SecurityError')),
    };
    const lock = createWebLock(denying, 'lock:ada');
    expect(await lock.take()).to.be.a('function');
    expect(await lock.isHeld()).to.equal(false);
    expect(await noLock.take()).to.be.a('function');
    expect(await noLock.isHeld()).to.equal(false);
  });
});
