import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ConversationEntry } from '../../../client/chat/conversation-entry.ts';
import { createRemoving } from '../../../client/chat/removing.ts';
import { createUndoOffer } from '../../../client/chat/undo-offer.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

const first: ConversationEntry = { id: 'one', title: 'Where do we stand?', lastActiveAt: 2 };
const second: ConversationEntry = { id: 'two', title: 'Which suppliers?', name: 'Suppliers', lastActiveAt: 1 };

function setUp(openId: string, ...kept: ConversationEntry[]) {
  const removed = new Set<string>();
  const list = {
    getState: () => ({
      entries: kept.filter(({ id }) => !removed.has(id)),
      isLoaded: true,
      room: 'enough' as const,
      damagedCount: 0,
      isLasting: true,
    }),
    remove: (id: string) => void removed.add(id),
    restore: (id: string) => void removed.delete(id),
  };
  let id = openId;
  const desk = {
    getState: () => ({ id }),
    open: (next: string) => {
      id = next;
    },
    startNew: () => {
      id = 'new';
    },
  };
  const offer = createUndoOffer(createFakeClock());
  const left = () => list.getState().entries.map((entry) => entry.id);
  return { remove: createRemoving({ list, desk, offer }), offer, desk, left };
}

describe('Removing a conversation', () => {
  it('shows the latest of the others where it was the open one, and itself again once brought back', () => {
    const { remove, offer, desk, left } = setUp('one', first, second);
    remove(first);
    expect([desk.getState().id, left()]).to.deep.equal(['two', ['two']]);
    offer.undo();
    expect([desk.getState().id, left()]).to.deep.equal(['one', ['one', 'two']]);
  });

  it('leaves the open one alone where it is another, also when it is brought back', () => {
    const { remove, offer, desk, left } = setUp('one', first, second);
    remove(second);
    expect([desk.getState().id, left()]).to.deep.equal(['one', ['one']]);
    expect(offer.getState().offered?.title).to.equal('Suppliers');
    offer.undo();
    expect([desk.getState().id, left()]).to.deep.equal(['one', ['one', 'two']]);
  });

  it('begins a new one where it was the last', () => {
    const { remove, desk } = setUp('one', first);
    remove(first);
    expect(desk.getState().id).to.equal('new');
  });
});
