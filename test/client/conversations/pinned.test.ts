import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createPinned } from '../../../client/conversations/pinned.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const key = 'advisory-chat:pinned:somebody';

describe('the pinned conversations', () => {
  it('are none at first, and stay over a reload until they are taken off', () => {
    const storage = createFakeStorage();
    const pinned = createPinned(storage, key);
    expect(pinned.getState().ids).to.deep.equal([]);
    pinned.toggle('one');
    pinned.toggle('two');
    expect(createPinned(storage, key).getState().ids).to.deep.equal(['one', 'two']);
    pinned.toggle('one');
    expect(createPinned(storage, key).getState().ids).to.deep.equal(['two']);
  });

  it('are those that another tab has pinned, too', () => {
    const storage = createFakeStorage();
    const here = createPinned(storage, key);
    createPinned(storage, key).toggle('one');
    here.toggle('two');
    expect(here.getState().ids).to.deep.equal(['one', 'two']);
    createPinned(storage, key).toggle('one');
    here.takeIn();
    expect(here.getState().ids).to.deep.equal(['two']);
  });

  it('are none where the device keeps something else', () => {
    const storage = createFakeStorage();
    storage.setItem(key, '{"ids":7}');
    expect(createPinned(storage, key).getState().ids).to.deep.equal([]);
  });

  it('hold for as long as the page is open where the device is full', () => {
    const pinned = createPinned(createFakeStorage(0), key);
    pinned.toggle('one');
    expect(pinned.getState().ids).to.deep.equal(['one']);
  });
});
