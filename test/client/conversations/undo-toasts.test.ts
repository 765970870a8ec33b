import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createListeners } from '../../../client/chat/store.ts';
import { undoSeconds } from '../../../client/conversations/conversation-list.ts';
import { createRemoving, createUndoToasts } from '../../../client/conversations/undo-toasts.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

describe('The offers to take back', () => {
  let clock: ReturnType<typeof createFakeClock>;
  let undone: string[];
  let toasts: ReturnType<typeof createUndoToasts>;

  beforeEach(() => {
    clock = createFakeClock();
    undone = [];
    toasts = createUndoToasts(clock);
  });

  const undoable = (title: string) => ({ what: 'deleted' as const, title, undo: () => void undone.push(title) });

  const shown = () => toasts.getState().shown?.title;

  it('stands for its time, and takes back once', async () => {
    toasts.push(undoable('One'));
    await clock.advance(undoSeconds * 1000 - 1);
    expect(shown()).to.equal('One');
    toasts.undo();
    toasts.undo();
    expect(undone).to.deep.equal(['One']);
    expect(shown()).to.equal(undefined);
  });

  it('is of what was done last, with the whole time again', async () => {
    toasts.push(undoable('One'));
    await clock.advance(20_000);
    toasts.push(undoable('Two'));
    await clock.advance(29_999);
    expect(shown()).to.equal('Two');
    await clock.advance(1);
    expect(shown()).to.equal(undefined);
  });

  it('stays while somebody is at it, and then for the rest of its time', async () => {
    toasts.push(undoable('One'));
    await clock.advance(20_000);
    toasts.pause();
    toasts.pause();
    await clock.advance(600_000);
    expect(shown()).to.equal('One');
    toasts.resume();
    toasts.resume();
    await clock.advance(9_999);
    expect(shown()).to.equal('One');
    await clock.advance(1);
    expect(shown()).to.equal(undefined);
  });

  it('goes back step by step, each step for the rest of its own time', async () => {
    toasts.push(undoable('One'));
    await clock.advance(10_000);
    toasts.push(undoable('Two'));
    await clock.advance(5_000);
    toasts.undo();
    expect(undone).to.deep.equal(['Two']);
    expect(shown()).to.equal('One');
    await clock.advance(14_999);
    expect(shown()).to.equal('One');
    await clock.advance(1);
    expect(shown()).to.equal(undefined);
  });

  it('stays with all that can be taken back while somebody is at it, from one to the next', async () => {
    const stays: string[] = [];
    const staying = (title: string) => ({ ...undoable(title), stay: () => void stays.push(title) });
    toasts.push(staying('One'));
    await clock.advance(20_000);
    toasts.push(staying('Two'));
    toasts.pause();
    await clock.advance(60_000);
    toasts.undo();
    expect(shown()).to.equal('One');
    stays.length = 0;
    await clock.advance(60_000);
    expect(shown()).to.equal('One');
    expect(stays).to.deep.equal(Array.from({ length: 6 }, () => 'One'));
    toasts.resume();
    await clock.advance(9_999);
    expect(shown()).to.equal('One');
    await clock.advance(1);
    expect(shown()).to.equal(undefined);
    toasts.push(undoable('Three'));
    await clock.advance(undoSeconds * 1000);
    expect(shown()).to.equal(undefined);
  });
});

describe('A conversation that is removed', () => {
  it('can be brought back by its name, with its time anew while somebody is at that, as long as it is known', () => {
    const did: string[] = [];
    const noting = (what: string) => (id: string) => void did.push(`${what} ${id}`);
    const toasts = createUndoToasts(createFakeClock());
    const removingAll = createListeners<[]>();
    let isKnown = true;
    const { remove } = createRemoving({
      list: {
        loaded: Promise.resolve(),
        restorable: () => [],
        isKnown: () => isKnown,
        onRemovingAll: removingAll.add,
        restore: noting('restore'),
        stayRestorable: noting('stay'),
      },
      openConversations: { getState: () => ({ id: 'one' }), open: noting('open'), remove: noting('remove') },
      toasts,
    });
    const entry = { id: 'one', title: 'Where do we stand?', name: 'Status', lastActiveAt: 1 };
    remove(entry);
    expect(toasts.getState().shown?.title).to.equal('Status');
    toasts.pause();
    toasts.undo();
    expect(did).to.deep.equal(['remove one', 'stay one', 'restore one', 'open one']);

    isKnown = false;
    remove(entry);
    toasts.undo();
    expect(did.at(-1)).to.equal('restore one');
    remove(entry);
    removingAll.tell();
    expect(toasts.getState().shown).to.equal(null);
  });
});
