import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createListeners } from '../../../client/chat/listeners.ts';
import type { Restorable } from '../../../client/conversations/conversations.ts';
import { createRemoving } from '../../../client/conversations/removing.ts';
import { createUndoOffer } from '../../../client/conversations/undo-offer.ts';
import type { ConversationEntry } from '../../../client/device/conversation-entry.ts';
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
  const offer = createUndoOffer(clock);
  const removing = createRemoving({
    list: {
      loaded: Promise.resolve(),
      restorable: () => restorable,
      isKnown: () => isKnown,
      onRemovingAll: removingAll.add,
      restore: noting('restore'),
      stayRestorable: noting('stay'),
    },
    desk: { getState: () => ({ id }), open: noting('open'), remove: noting('remove') },
    offer,
  });
  return {
    did,
    clock,
    offer,
    goTo,
    forget,
    removeAll: removingAll.tell,
    offered: () => offer.getState().offered?.title,
    ...removing,
  };
}

describe('Removing a conversation', () => {
  it('is done at once, and can be undone by its name', () => {
    const { did, offer, remove } = setUp('two');
    remove(entry);
    expect(did).to.deep.equal(['remove one']);
    expect(offer.getState().offered?.title).to.equal('Status');
    offer.undo();
    expect(did).to.deep.equal(['remove one', 'restore one']);
  });

  it('opens it again once it is undone, where it was the open one', () => {
    const { did, offer, remove } = setUp('one');
    remove(entry);
    offer.undo();
    expect(did).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('begins its time anew while somebody is at the offer', () => {
    const { did, offer, remove } = setUp('two');
    remove(entry);
    offer.hold();
    expect(did).to.deep.equal(['remove one', 'stay one']);
  });

  it('is offered to be undone after a reload too, for the rest of its time', async () => {
    const { clock, did, offer, offered, offerAgain } = setUp('two', [
      { entry: { ...entry, id: 'zero', name: 'Zero' }, milliseconds: 5_000 },
      { entry, milliseconds: 12_000 },
    ]);
    await offerAgain();
    expect(offered()).to.equal('Status');
    await clock.advance(4_999);
    offer.undo();
    expect(did).to.deep.equal(['restore one']);
    expect(offered()).to.equal('Zero');
    await clock.advance(1);
    expect(offered()).to.equal(undefined);
  });

  it('opens it where its address was gone to meanwhile', () => {
    const { did, offer, remove, goTo } = setUp('two');
    remove(entry);
    goTo('one');
    offer.undo();
    expect(did).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('opens nothing where it is gone for good by then', () => {
    const { did, forget, offer, remove } = setUp('one');
    remove(entry);
    forget();
    offer.undo();
    expect(did).to.deep.equal(['remove one', 'restore one']);
  });

  it('is not offered to be undone any more once all conversations are removed', () => {
    const { offered, remove, removeAll } = setUp('two');
    remove({ ...entry, id: 'zero' });
    remove(entry);
    removeAll();
    expect(offered()).to.equal(undefined);
  });
});
