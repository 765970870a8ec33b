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

  for (const [method, expected] of [
    ['undo', ['undo Two', 'undo One']],
    ['dismiss', ['discard One', 'discard Two']],
  ] as const) {
    it(`handles each deletion once on ${method}(), as ${expected.join(' and ')}`, () => {
      undoOffer.offer(undoable('One'));
      undoOffer.offer(undoable('Two'));
      expect([titles(), calls]).to.deep.equal([['One', 'Two'], []]);
      undoOffer[method]();
      undoOffer.undo();
      undoOffer.dismiss();
      expect([titles(), calls]).to.deep.equal([[], expected]);
    });
  }
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

  it('deletes the conversation permanently once the offer is dismissed or all conversations are removed', () => {
    for (const end of ['dismiss', 'removeAll'] as const) {
      const { calls, undoOffer, removingAll, remove } = createFakes();
      remove(entry);
      if (end === 'dismiss') undoOffer.dismiss();
      else removingAll.notify();
      expect(undoOffer.getState().undoables).to.deep.equal([]);
      expect(calls).to.deep.equal(['remove one', 'purge one']);
    }
  });

  it('withdraws a conversation from the offer once another tab has restored or permanently deleted the conversation', () => {
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
