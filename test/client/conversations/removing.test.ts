import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createListeners } from '../../../client/chat/store.ts';
import type { Restorable } from '../../../client/conversations/conversation-list.ts';
import { createRemoving, createUndoToasts } from '../../../client/conversations/undo-toasts.ts';
import type { ConversationEntry } from '../../../client/device/conversation-records.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

const entry: ConversationEntry = { id: 'one', title: 'Where do we stand?', name: 'Status', lastActiveAt: 1 };

function setUp(openId: string, restorable: readonly Restorable[] = []) {
  const did: string[] = [];
  const clock = createFakeClock();
  const removingAll = createListeners<[]>();
  let isKnown = true;
  const forget = () => {
    isKnown = false;
  };
  let id = openId;
  const goTo = (otherId: string) => {
    id = otherId;
  };
  const noting = (what: string) => (id: string) => void did.push(`${what} ${id}`);
  const toasts = createUndoToasts(clock);
  const removing = createRemoving({
    list: {
      loaded: Promise.resolve(),
      restorable: () => restorable,
      isKnown: () => isKnown,
      onRemovingAll: removingAll.add,
      restore: noting('restore'),
      stayRestorable: noting('stay'),
    },
    openConversations: { getState: () => ({ id }), open: noting('open'), remove: noting('remove') },
    toasts,
  });
  return {
    did,
    clock,
    toasts,
    goTo,
    forget,
    removeAll: removingAll.tell,
    shown: () => toasts.getState().shown?.title,
    ...removing,
  };
}

describe('Removing a conversation', () => {
  it('is done at once, and can be undone by its name', () => {
    const { did, toasts, remove } = setUp('two');
    remove(entry);
    expect(did).to.deep.equal(['remove one']);
    expect(toasts.getState().shown?.title).to.equal('Status');
    toasts.undo();
    expect(did).to.deep.equal(['remove one', 'restore one']);
  });

  it('opens it again once it is undone, where it was the open one', () => {
    const { did, toasts, remove } = setUp('one');
    remove(entry);
    toasts.undo();
    expect(did).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('begins its time anew while somebody is at the toast', () => {
    const { did, toasts, remove } = setUp('two');
    remove(entry);
    toasts.pause();
    expect(did).to.deep.equal(['remove one', 'stay one']);
  });

  it('opens it where its address was gone to meanwhile', () => {
    const { did, toasts, remove, goTo } = setUp('two');
    remove(entry);
    goTo('one');
    toasts.undo();
    expect(did).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('opens nothing where it is gone for good by then', () => {
    const { did, forget, toasts, remove } = setUp('one');
    remove(entry);
    forget();
    toasts.undo();
    expect(did).to.deep.equal(['remove one', 'restore one']);
  });

  it('is not offered to be undone any more once all conversations are removed', () => {
    const { shown, remove, removeAll } = setUp('two');
    remove({ ...entry, id: 'zero' });
    remove(entry);
    removeAll();
    expect(shown()).to.equal(undefined);
  });
});
