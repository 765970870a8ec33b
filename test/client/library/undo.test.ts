import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createRemoveConversation, createUndoOffer } from '../../../client/library/undo.ts';
import { createListeners } from '../../../client/store.ts';

describe('createUndoOffer', () => {
  let calls: string[];
  let undoOffer: ReturnType<typeof createUndoOffer>;

  beforeEach(() => {
    calls = [];
    undoOffer = createUndoOffer();
  });

  const undoable = (title: string) => ({
    id: title,
    title,
    undo: () => void calls.push(`undo ${title}`),
    discard: () => void calls.push(`discard ${title}`),
  });
  const titles = () => undoOffer.getState().undoables.map(({ title }) => title);

  it('undoes each deletion once, latest first', () => {
    undoOffer.offer(undoable('One'));
    undoOffer.offer(undoable('Two'));
    expect(titles()).to.deep.equal(['One', 'Two']);
    undoOffer.undo();
    undoOffer.undo();
    undoOffer.dismiss();
    expect(titles()).to.deep.equal([]);
    expect(calls).to.deep.equal(['undo Two', 'undo One']);
  });

  it('discards all deletions when it is dismissed', () => {
    undoOffer.offer(undoable('One'));
    undoOffer.offer(undoable('Two'));
    expect(calls).to.deep.equal([]);
    undoOffer.dismiss();
    expect(titles()).to.deep.equal([]);
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
    const state = { isKnown: true, isRestorable: true, openId: 'one' };
    const remove = createRemoveConversation({
      library: {
        isKnown: () => state.isKnown,
        isRestorable: () => state.isRestorable,
        onChangeElsewhere: changedElsewhere.add,
        onRemovingAll: removingAll.add,
        purge: logged('purge'),
        restore: logged('restore'),
      },
      openConversations: {
        getState: () => ({ id: state.openId }),
        open: logged('open'),
        remove(id) {
          calls.push(`remove ${id}`);
          if (state.openId === id) state.openId = 'latest';
        },
      },
      undoOffer,
    });
    return { calls, undoOffer, removingAll, changedElsewhere, state, remove };
  }

  it('offers an undo that names the conversation, restores it, and opens it if it was open', () => {
    const { calls, undoOffer, remove } = createFakes();
    remove(entry);
    expect(undoOffer.getState().undoables[0]?.title).to.equal('Status');
    undoOffer.undo();
    expect(calls).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('restores a conversation that was not open without opening it, unless the user has returned to its URL', () => {
    const { calls, undoOffer, state, remove } = createFakes();
    state.openId = 'two';
    remove(entry);
    undoOffer.undo();
    expect(calls.splice(0)).to.deep.equal(['remove one', 'restore one']);
    remove(entry);
    state.openId = 'one';
    undoOffer.undo();
    expect(calls).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('opens no conversation on undo if another tab has deleted it permanently', () => {
    const { calls, undoOffer, state, remove } = createFakes();
    remove(entry);
    state.isKnown = false;
    undoOffer.undo();
    expect(calls).to.deep.equal(['remove one', 'restore one']);
  });

  it('deletes the conversation permanently once the offer is dismissed', () => {
    const { calls, undoOffer, remove } = createFakes();
    remove(entry);
    undoOffer.dismiss();
    expect(calls).to.deep.equal(['remove one', 'purge one']);
  });

  it('dismisses the offer once all conversations are removed', () => {
    const { undoOffer, removingAll, remove } = createFakes();
    remove(entry);
    removingAll.notify();
    expect(undoOffer.getState().undoables).to.deep.equal([]);
  });

  it('withdraws a conversation from the offer once another tab has restored it or permanently deleted it', () => {
    const { undoOffer, changedElsewhere, state, remove } = createFakes();
    const ids = () => undoOffer.getState().undoables.map(({ id }) => id);
    remove(entry);
    remove({ ...entry, id: 'two' });
    changedElsewhere.notify('one');
    expect(ids()).to.deep.equal(['one', 'two']);
    state.isRestorable = false;
    changedElsewhere.notify('one');
    expect(ids()).to.deep.equal(['two']);
  });
});
