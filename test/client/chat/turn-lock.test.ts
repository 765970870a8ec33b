import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWebLock, freeLock } from '../../../client/chat/turn-lock.ts';

describe('The lock of a person’s turns', () => {
  it('stands in nobody’s way where the browser denies locks, or has none', async () => {
    const denying = {
      request: () => Promise.reject(new DOMException('No locks here.', 'SecurityError')),
      query: () => Promise.reject(new DOMException('No locks here.', 'SecurityError')),
    };
    const lock = createWebLock(denying, 'lock:ada');
    expect(await lock.take()).to.be.a('function');
    expect(await lock.isHeld()).to.equal(false);
    expect(await freeLock.take()).to.be.a('function');
    expect(await freeLock.isHeld()).to.equal(false);
  });
});
