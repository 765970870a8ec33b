import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRemoving } from '../../../client/conversations/removing.ts';
import { createUndoOffer } from '../../../client/conversations/undo-offer.ts';
import type { ConversationEntry } from '../../../client/device/conversation-entry.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

const entry: ConversationEntry = { id: 'one', title: 'Where do we stand?', name: 'Status', lastActiveAt: 1 };

function setUp(openId: string) {
  const did: string[] = [];
  const noting = (what: string) => (id: string) => void did.push(`${what} ${id}`);
  const offer = createUndoOffer(createFakeClock());
  const remove = createRemoving({
    list: { remove: noting('remove again'), restore: noting('restore') },
    desk: { getState: () => ({ id: openId }), open: noting('open'), remove: noting('remove') },
    offer,
  });
  remove(entry);
  return { did, offer };
}

describe('Removing a conversation', () => {
  it('is done at once, and can be undone by its name', () => {
    const { did, offer } = setUp('two');
    expect(did).to.deep.equal(['remove one']);
    expect(offer.getState().offered?.title).to.equal('Status');
    offer.undo();
    expect(did).to.deep.equal(['remove one', 'restore one']);
  });

  it('opens it again once it is undone, where it was the open one', () => {
    const { did, offer } = setUp('one');
    offer.undo();
    expect(did).to.deep.equal(['remove one', 'restore one', 'open one']);
  });

  it('begins its time anew while somebody is at the offer', () => {
    const { did, offer } = setUp('two');
    offer.hold();
    expect(did).to.deep.equal(['remove one', 'remove again one']);
  });
});
