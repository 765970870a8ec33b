import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createRemoveConversation, createUndoOffer } from '../../../client/library/undo.ts';
import { createListeners } from '../../../client/store.ts';
import { perTest } from '../../support/per-suite.ts';

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
    const removeConversation = createRemoveConversation({
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
    return { calls, undoOffer, removingAll, changedElsewhere, state, removeConversation };
  }
  const fakes = perTest(createFakes);

  it('offers an undo that names the conversation, restores it, and opens it if it was open', () => {
    fakes.removeConversation(entry);
    expect(fakes.undoOffer.getState().undoables[0]?.title).to.equal('Status');
    fakes.undoOffer.undo();
    expect(fakes.calls).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('restores a conversation that was not open without opening it, unless the user has returned to its URL', () => {
    fakes.state.openId = 'two';
    fakes.removeConversation(entry);
    fakes.undoOffer.undo();
    expect(fakes.calls.splice(0)).to.deep.equal(['remove one', 'restore one']);
    fakes.removeConversation(entry);
    fakes.state.openId = 'one';
    fakes.undoOffer.undo();
    expect(fakes.calls).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('opens no conversation on undo if another tab has deleted it permanently', () => {
    fakes.removeConversation(entry);
    fakes.state.isKnown = false;
    fakes.undoOffer.undo();
    expect(fakes.calls).to.deep.equal(['remove one', 'restore one']);
  });

  for (const [title, end] of [
    ['the offer is dismissed', () => fakes.undoOffer.dismiss()],
    ['all conversations are removed', () => fakes.removingAll.notify()],
  ] as const) {
    it(`deletes the conversation permanently once ${title}`, () => {
      fakes.removeConversation(entry);
      end();
      expect(fakes.undoOffer.getState().undoables).to.deep.equal([]);
      expect(fakes.calls).to.deep.equal(['remove one', 'purge one']);
    });
  }

  it('withdraws a conversation from the offer once another tab has restored or permanently deleted the conversation', () => {
    const ids = () => fakes.undoOffer.getState().undoables.map(({ id }) => id);
    fakes.removeConversation(entry);
    fakes.removeConversation({ ...entry, id: 'two' });
    fakes.changedElsewhere.notify('one');
    expect(ids()).to.deep.equal(['one', 'two']);
    fakes.state.isRestorable = false;
    fakes.changedElsewhere.notify('one');
    expect(ids()).to.deep.equal(['two']);
  });
});
