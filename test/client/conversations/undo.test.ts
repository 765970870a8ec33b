import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createListeners } from '../../../client/chat/store.ts';
import { createRemoveConversation, createUndoOffer } from '../../../client/conversations/undo.ts';

describe('createUndoOffer', () => {
  let calls: string[];
  let undoOffer: ReturnType<typeof createUndoOffer>;

  beforeEach(() => {
    calls = [];
    undoOffer = createUndoOffer();
  });

  const undoable = (title: string) => ({
    title,
    undo: () => void calls.push(`undo ${title}`),
    discard: () => void calls.push(`discard ${title}`),
  });
  const undoableTitle = () => undoOffer.getState().undoable?.title;

  it('undoes the last deletion once', () => {
    undoOffer.offer(undoable('One'));
    expect(undoableTitle()).to.equal('One');
    undoOffer.undo();
    undoOffer.undo();
    undoOffer.dismiss();
    expect(undoableTitle()).to.equal(undefined);
    expect(calls).to.deep.equal(['undo One']);
  });

  it('discards a deletion when it is dismissed, and when something else is deleted', () => {
    undoOffer.offer(undoable('One'));
    undoOffer.offer(undoable('Two'));
    expect(undoableTitle()).to.equal('Two');
    expect(calls).to.deep.equal(['discard One']);
    undoOffer.dismiss();
    expect(undoableTitle()).to.equal(undefined);
    expect(calls).to.deep.equal(['discard One', 'discard Two']);
  });
});

describe('createRemoveConversation', () => {
  const entry = { id: 'one', title: 'Where do we stand?', name: 'Status', lastActiveAt: 1 };

  function createFakes() {
    const calls: string[] = [];
    const logged = (what: string) => (id: string) => void calls.push(`${what} ${id}`);
    const undoOffer = createUndoOffer();
    const removingAll = createListeners<[]>();
    const changedElsewhere = createListeners<[id: string]>();
    const state = { isKnown: true, isRestorable: true };
    const remove = createRemoveConversation({
      list: {
        isKnown: () => state.isKnown,
        isRestorable: () => state.isRestorable,
        onChangeElsewhere: changedElsewhere.add,
        onRemovingAll: removingAll.add,
        purge: logged('purge'),
        restore: logged('restore'),
      },
      openConversations: { getState: () => ({ id: 'one' }), open: logged('open'), remove: logged('remove') },
      undoOffer,
    });
    return { calls, undoOffer, removingAll, changedElsewhere, state, remove };
  }

  it('offers undo by name; undo restores the conversation and opens it if it was open', () => {
    const { calls, undoOffer, remove } = createFakes();
    remove(entry);
    expect(undoOffer.getState().undoable?.title).to.equal('Status');
    undoOffer.undo();
    expect(calls).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('deletes permanently once the offer is dismissed', () => {
    const { calls, undoOffer, remove } = createFakes();
    remove(entry);
    undoOffer.dismiss();
    expect(calls).to.deep.equal(['remove one', 'purge one']);
  });

  it('dismisses the offer once all conversations are removed', () => {
    const { undoOffer, removingAll, remove } = createFakes();
    remove(entry);
    removingAll.notify();
    expect(undoOffer.getState().undoable).to.equal(null);
  });

  it('dismisses the offer once another tab has restored the conversation or deleted it permanently', () => {
    const { undoOffer, changedElsewhere, state, remove } = createFakes();
    remove(entry);
    changedElsewhere.notify('two');
    changedElsewhere.notify('one');
    expect(undoOffer.getState().undoable?.title).to.equal('Status');
    state.isRestorable = false;
    changedElsewhere.notify('one');
    expect(undoOffer.getState().undoable).to.equal(null);
  });
});
