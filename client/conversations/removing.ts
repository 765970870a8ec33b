import type { ConversationEntry } from '../device/conversation-entry.ts';
import type { ConversationList } from './conversations.ts';
import type { UndoOffer } from './undo-offer.ts';

type RemovingParts = {
  list: Pick<ConversationList, 'remove' | 'restore'>;
  desk: { getState(): { id: string }; open(id: string): void; remove(id: string): void };
  offer: Pick<UndoOffer, 'offer'>;
};

/**
 * Removes a conversation at once and offers to bring it back. Where it was the open one, another takes its place on the page;
 * brought back, it is open again.
 */
export function createRemoving({ list, desk, offer }: RemovingParts) {
  return ({ id, name, title }: ConversationEntry): void => {
    const wasOpen = desk.getState().id === id;
    desk.remove(id);
    offer.offer({
      what: 'deleted',
      title: name || title,
      undo() {
        list.restore(id);
        if (wasOpen) desk.open(id);
      },
      // To remove it anew begins its time anew.
      stay: () => list.remove(id),
    });
  };
}
