import type { Conversation } from './conversation.ts';
import type { ConversationList } from './conversation-list.ts';
import { createStore } from './store.ts';
import type { Transcript, TranscriptStorage } from './transcript.ts';

export type DeskParts = {
  list: ConversationList;
  /** Remembers under `openKey`, for this tab, which conversation it shows. */
  tabStorage: TranscriptStorage;
  openKey: string;
  createConversation: (transcript: Transcript) => Conversation;
  createId: () => string;
};

export type DeskState = {
  id: string;
  conversation: Conversation;
  /** Whether the person has just begun it. */
  isNew: boolean;
};

export type Desk = ReturnType<typeof createDesk>;

/**
 * What one tab has at hand of a person's conversations: the open one, and those whose reply is still being written.
 */
export function createDesk({ list, tabStorage, openKey, createConversation, createId }: DeskParts) {
  const atHand = new Map<string, Conversation>();
  const firstId = tabStorage.getItem(openKey) ?? list.getState().entries[0]?.id ?? createId();
  const { getState, subscribe, update } = createStore<DeskState>({
    id: firstId,
    conversation: take(firstId),
    isNew: false,
  });

  function take(id: string): Conversation {
    const conversation = atHand.get(id) ?? createConversation(list.transcript(id));
    atHand.set(id, conversation);
    return conversation;
  }

  function show(id: string, isNew: boolean): void {
    for (const [otherId, conversation] of atHand) {
      conversation.keep();
      if (otherId !== id && !isRunning(conversation)) atHand.delete(otherId);
    }
    try {
      tabStorage.setItem(openKey, id);
    } catch {
      // Full: a reload shows the latest conversation.
    }
    update({ id, conversation: take(id), isNew });
  }

  function drop(id: string): void {
    atHand.get(id)?.clear();
    atHand.delete(id);
  }

  return {
    getState,
    subscribe,

    /** Shows a conversation. A reply that is being written in the one before goes on. */
    open: (id: string) => show(id, false),

    /** Shows a new conversation; an empty one is new enough. */
    startNew(): void {
      const { id, conversation } = getState();
      const { turns, draft } = conversation.getState();
      show(turns.length === 0 && draft === '' ? id : createId(), true);
    },

    /** Removes a conversation from the device, and shows the latest of the others where it was the open one. */
    remove(id: string): void {
      drop(id);
      list.remove(id);
      if (getState().id === id) show(list.getState().entries[0]?.id ?? createId(), false);
    },

    /** Takes in that another tab has changed what is kept under `key`. What is typed here stays. */
    takeIn(key: string): void {
      if (key === list.indexKey) list.takeIn();
      for (const [id, conversation] of atHand) if (list.keyOf(id) === key) conversation.takeIn();
    },

    /** Keeps everything as it is. */
    keep(): void {
      for (const conversation of atHand.values()) conversation.keep();
    },

    /** Finds out what has become of a reply that was being written in another tab. */
    settle(): void {
      for (const conversation of atHand.values()) conversation.settle();
    },

    /** Ends what is running and keeps everything for the next visit. */
    leave(): void {
      for (const conversation of atHand.values()) conversation.leave();
    },

    /** Ends what is running and forgets what is on the page: the person has signed out. */
    clear(): void {
      for (const id of [...atHand.keys()]) drop(id);
      tabStorage.removeItem(openKey);
      const id = createId();
      update({ id, conversation: take(id), isNew: false });
    },
  };
}

function isRunning(conversation: Conversation): boolean {
  return conversation.getState().phase.name !== 'idle';
}
