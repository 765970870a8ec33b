import { expect } from 'chai';
import { describe, it } from 'mocha';
import { conversationInPath, createAddressSync } from '../../../../client/pages/live-chat/address-sync.ts';
import { createStore } from '../../../../client/store.ts';
import { conversationPath, pages } from '../../../../shared/interface.ts';

function setUp(first: string | null | undefined, openId: string, storedIds = ['one', 'two']) {
  const { getState, subscribe, update } = createStore({ id: openId });
  const openConversations = { getState, subscribe, open: (id: string) => update({ id }) };
  const visited = [first];
  const address = {
    read: () => visited.at(-1),
    push: (id: string) => void visited.push(id),
    replace: (id: string) => void visited.splice(-1, 1, id),
    leave: () => void visited.splice(-1, 1, null),
  };
  const sync = createAddressSync(openConversations, address, (id) => storedIds.includes(id));
  sync.start();
  sync.syncFromAddress();
  return { openConversations, visited, leave: sync.leave, syncFromAddress: sync.syncFromAddress };
}

describe('createAddressSync', () => {
  it('replaces the URL of an empty conversation with the URL of the next conversation', () => {
    const { openConversations, visited } = setUp('one', 'one');
    openConversations.open('new');
    openConversations.open('two');
    expect(visited).to.deep.equal(['one', 'two']);
  });

  it('adds the id of the open conversation to a URL without an id', () => {
    expect(setUp(null, 'one').visited).to.deep.equal(['one']);
  });

  it('opens the conversation in the URL, at the start and after Back, without adding a history entry', () => {
    const { openConversations, visited, syncFromAddress } = setUp('two', 'one');
    expect(openConversations.getState().id).to.equal('two');
    openConversations.open('one');
    expect(visited).to.deep.equal(['two', 'one']);
    visited.pop();
    syncFromAddress();
    expect(openConversations.getState().id).to.equal('two');
    expect(visited).to.deep.equal(['two']);
  });

  it('does not change the URL of another page', () => {
    const { openConversations, visited } = setUp(undefined, 'one');
    openConversations.open('two');
    expect(visited).to.deep.equal([undefined]);
  });

  it('keeps conversations out of the URL after the user has signed out', () => {
    const { openConversations, visited, leave } = setUp('one', 'one');
    leave();
    openConversations.open('two');
    expect(visited).to.deep.equal([null]);
  });

  it('opens no conversation from a URL after the user has signed out on another page', () => {
    const { openConversations, visited, leave, syncFromAddress } = setUp(undefined, 'one');
    leave();
    expect(visited).to.deep.equal([undefined]);
    visited.push('two');
    syncFromAddress();
    expect(openConversations.getState().id).to.equal('one');
  });
});

describe('conversationInPath', () => {
  it('returns the id of a conversation, null for the page of live chat, and undefined for other pages', () => {
    expect(conversationInPath(conversationPath('4f7c2a0e-5f0e'))).to.equal('4f7c2a0e-5f0e');
    expect(conversationInPath(pages.chat)).to.equal(null);
    for (const path of [pages.demo, pages.signIn, '/c/', '/c/a/b']) {
      expect(conversationInPath(path), path).to.equal(undefined);
    }
  });
});
