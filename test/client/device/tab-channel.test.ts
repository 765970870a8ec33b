import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createTabChannel } from '../../../client/device/tab-channel.ts';

describe('createTabChannel', () => {
  const { BroadcastChannel } = globalThis;
  beforeEach(() => {
    Reflect.deleteProperty(globalThis, 'BroadcastChannel');
  });
  afterEach(() => {
    globalThis.BroadcastChannel = BroadcastChannel;
  });

  it('returns a channel without other tabs if the browser has no BroadcastChannel', () => {
    const channel = createTabChannel('test');
    expect(() => {
      channel.post('anything');
      channel.listen(() => {})();
      channel.close();
    }).not.to.throw();
  });
});
