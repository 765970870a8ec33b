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

  const denying = class {
    constructor() {
      throw new DOMException('Denied.', 'SecurityError');
    }
  };
  for (const [title, present] of [
    ['has no BroadcastChannel', undefined],
    ['denies the channel', denying],
  ]) {
    it(`returns a channel that reaches no other tab if the browser ${title}`, () => {
      if (present !== undefined) Object.assign(globalThis, { BroadcastChannel: present });
      const channel = createTabChannel('test');
      expect(() => {
        channel.post('anything');
        channel.listen(() => {});
        channel.close();
      }).not.to.throw();
    });
  }
});
