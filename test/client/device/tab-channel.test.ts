import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { createTabChannel } from '../../../client/device/tab-channel.ts';

describe('createTabChannel', () => {
  const { BroadcastChannel } = globalThis;
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
      Object.assign(globalThis, { BroadcastChannel: present });
      const channel = createTabChannel('test');
      expect(() => {
        channel.post('anything');
        channel.listen(() => {});
        channel.close();
      }).not.to.throw();
    });
  }

  it('returns a channel whose messages the other tabs receive until the channel is closed', async () => {
    const [here, there] = [createTabChannel('test'), createTabChannel('test')];
    const received = Promise.withResolvers<unknown>();
    there.listen(received.resolve);
    here.post({ type: 'changed' });
    expect(await received.promise).to.deep.equal({ type: 'changed' });
    for (const channel of [here, there]) channel.close();
    expect(() => here.post('too late')).to.throw('closed');
  });
});
