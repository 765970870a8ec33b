import type { ConversationEntry } from '../device/conversation-records.ts';
import { createStore } from '../store.ts';
import type { Library } from './library.ts';

export type UndoableAction = {
  id: string;
  title: string;
  undo: () => void;
  /** Called when the offer is dismissed. */
  discard?: () => void;
};

export type UndoOffer = ReturnType<typeof createUndoOffer>;

/** Offers to undo deletions until the offer is dismissed. A further deletion is added to the current offer. */
export function createUndoOffer() {
  const { getState, subscribe, update } = createStore<{ undoables: readonly UndoableAction[] }>({ undoables: [] });

  function takeAll(): readonly UndoableAction[] {
    const { undoables } = getState();
    update({ undoables: [] });
    return undoables;
  }

  return {
    getState,
    subscribe,

    offer(undoable: UndoableAction): void {
      update({ undoables: [...getState().undoables, undoable] });
    },

    withdraw(id: string): void {
      update({ undoables: getState().undoables.filter((undoable) => undoable.id !== id) });
    },

    dismiss(): void {
      for (const { discard } of takeAll()) discard?.();
    },

    /** Undoes all deletions, the last one first, so that the conversation that was open before them is shown again. */
    undo(): void {
      for (const { undo } of [...takeAll()].reverse()) undo();
    },
  };
}

type RemovalDependencies = {
  library: Pick<Library, 'isKnown' | 'isRestorable' | 'onChangeElsewhere' | 'onRemovingAll' | 'purge' | 'restore'>;
  openConversations: { getState(): { id: string }; open(id: string): void; remove(id: string): void };
  undoOffer: Pick<UndoOffer, 'offer' | 'withdraw' | 'dismiss'>;
};

/** If the deleted conversation was open, the page shows another one in its place, and undo opens it again. */
export function createRemoveConversation({ library, openConversations, undoOffer }: RemovalDependencies) {
  library.onRemovingAll(undoOffer.dismiss);
  library.onChangeElsewhere((id) => {
    // Another tab has restored the conversation or deleted it permanently.
    if (!library.isRestorable(id)) undoOffer.withdraw(id);
  });

  return ({ id, name, title }: ConversationEntry): void => {
    const wasOpen = openConversations.getState().id === id;
    openConversations.remove(id);
    undoOffer.offer({
      id,
      title: name || title,
      undo() {
        library.restore(id);
        if (!library.isKnown(id)) return;
        // The user may have returned to the conversation's URL with Back in the meantime.
        if (wasOpen || openConversations.getState().id === id) openConversations.open(id);
      },
      discard: () => library.purge(id),
    });
  };
}
