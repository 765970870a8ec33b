import type { ConversationEntry } from '../device/conversation-entry.ts';
import type { ConversationList } from './conversations.ts';
import type { Undoable, UndoOffer } from './undo-offer.ts';

type RemovingParts = {
  list: Pick<ConversationList, 'isKnown' | 'loaded' | 'onRemovingAll' | 'restorable' | 'restore' | 'stayRestorable'>;
  desk: { getState(): { id: string }; open(id: string): void; remove(id: string): void };
  offer: Pick<UndoOffer, 'offer' | 'withdrawAll'>;
};

/**
 * Removes a conversation at once and offers to bring it back. Where it was the open one, another takes its place on the page;
 * brought back, it is open again.
 */
export function createRemoving({ list, desk, offer }: RemovingParts) {
  list.onRemovingAll(offer.withdrawAll);

  function undoable({ id, name, title }: ConversationEntry, wasOpen: boolean): Undoable {
    return {
      what: 'deleted',
      title: name || title,
      undo() {
        list.restore(id);
        // Another tab may have removed all conversations for good.
        if (!list.isKnown(id)) return;
        // The browser's Back may have led to its address meanwhile.
        if (wasOpen || desk.getState().id === id) desk.open(id);
      },
      stay: () => list.stayRestorable(id),
    };
  }

  return {
    remove(entry: ConversationEntry): void {
      const wasOpen = desk.getState().id === entry.id;
      desk.remove(entry.id);
      offer.offer(undoable(entry, wasOpen));
    },

    /**
     * Offers to bring back what was removed before the page was opened, for the rest of its time. That may have been in another
     * tab: the person is the same one.
     */
    async offerAgain(): Promise<void> {
      await list.loaded;
      for (const { entry, milliseconds } of list.restorable()) offer.offer(undoable(entry, false), milliseconds);
    },
  };
}
