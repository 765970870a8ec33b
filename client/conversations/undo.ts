import { createStore } from '../chat/store.ts';
import type { ConversationEntry } from '../device/conversation-records.ts';
import type { ConversationList } from './conversation-list.ts';

export type Undoable = {
  /** The title of the deleted conversation. */
  title: string;
  undo: () => void;
  /** Called when the offer ends without an undo. */
  discard?: () => void;
};

export type UndoOffer = ReturnType<typeof createUndoOffer>;

/** Offers to undo the last deletion until the offer is dismissed or something else is deleted. */
export function createUndoOffer() {
  const { getState, subscribe, update } = createStore<{ undoable: Undoable | null }>({ undoable: null });

  function replace(next: Undoable | null): void {
    const { undoable: current } = getState();
    update({ undoable: next });
    current?.discard?.();
  }

  return {
    getState,
    subscribe,
    offer: (undoable: Undoable) => replace(undoable),
    dismiss: () => replace(null),

    undo(): void {
      const { undoable: current } = getState();
      update({ undoable: null });
      current?.undo();
    },
  };
}

type RemovalParts = {
  list: Pick<
    ConversationList,
    'isKnown' | 'isRestorable' | 'onChangeElsewhere' | 'onRemovingAll' | 'purge' | 'restore'
  >;
  openConversations: { getState(): { id: string }; open(id: string): void; remove(id: string): void };
  undoOffer: Pick<UndoOffer, 'offer' | 'dismiss'>;
};

/**
 * Returns a function that deletes a conversation and offers to restore it. If it was open, the page shows another one in its
 * place, and undo opens it again.
 */
export function createRemoveConversation({ list, openConversations, undoOffer }: RemovalParts) {
  let undoableId: string | undefined;

  list.onRemovingAll(undoOffer.dismiss);
  list.onChangeElsewhere((id) => {
    // Another tab has restored the conversation or deleted it permanently.
    if (id === undoableId && !list.isRestorable(id)) undoOffer.dismiss();
  });

  return ({ id, name, title }: ConversationEntry): void => {
    const wasOpen = openConversations.getState().id === id;
    openConversations.remove(id);
    undoOffer.offer({
      title: name || title,
      undo() {
        list.restore(id);
        if (!list.isKnown(id)) return;
        // The user may have returned to the conversation's URL with Back in the meantime.
        if (wasOpen || openConversations.getState().id === id) openConversations.open(id);
      },
      discard: () => list.purge(id),
    });
    undoableId = id;
  };
}
