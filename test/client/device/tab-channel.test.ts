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

  it('returns a channel that reaches no other tab where the browser has no channels', () => {
    const channel = createTabChannel('test');
    expect(() => {
      channel.post('anything');
      channel.listen(() => {})();
      channel.close();
    }).not.to.throw();
  });
});
