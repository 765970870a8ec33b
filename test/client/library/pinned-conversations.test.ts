import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createPinnedConversations } from '../../../client/library/library.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const key = 'advisory-chat:pinned:somebody';

describe('createPinnedConversations', () => {
  it('includes the conversations that another tab has pinned', () => {
    const storage = createFakeStorage();
    const here = createPinnedConversations(storage, key);
    createPinnedConversations(storage, key).toggle('one');
    here.toggle('two');
    expect(here.getState().ids).to.deep.equal(['one', 'two']);
    createPinnedConversations(storage, key).toggle('one');
    here.reload();
    expect(here.getState().ids).to.deep.equal(['two']);
    createPinnedConversations(storage, key).toggle('three');
    here.add(['four']);
    expect(here.getState().ids).to.deep.equal(['two', 'three', 'four']);
  });

  it('keeps pins in memory if the storage is full', () => {
    const pinned = createPinnedConversations(createFakeStorage(0), key);
    pinned.toggle('one');
    expect(pinned.getState().ids).to.deep.equal(['one']);
  });
});
