import type { Conversation } from '../chat/conversation.ts';
import { createStore } from '../chat/store.ts';
import type { Transcript, TranscriptStorage } from '../chat/transcript.ts';
import type { ConversationList } from './conversations.ts';

export type DeskParts = {
  list: ConversationList;
  /** Remembers under `openKey`, for this tab, which conversation it shows. */
  tabStorage: TranscriptStorage;
  openKey: string;
  /** The conversation that the page's address names, if it names one. */
  addressedId?: string | undefined;
  createConversation: (transcript: Transcript) => Conversation;
  createId: () => string;
};

export type DeskState = {
  /** It can still become another one until `conversation` is there for the first time or `isKnown` is false. */
  id: string;
  /** Undefined while it is being read, and where it is not known. */
  conversation: Conversation | undefined;
  /** Whether the person has just begun it. */
  isNew: boolean;
  /** False where this device has no conversation of this id: another device's, or a deleted one. */
  isKnown: boolean;
};

export type Desk = ReturnType<typeof createDesk>;

/**
 * What one tab has at hand of a person's conversations: the open one, and those whose reply is still being written. It begins
 * with the one that is addressed, or else with the one that this tab showed last, or else with the latest.
 */
export function createDesk(parts: DeskParts) {
  const { list, tabStorage, openKey, addressedId, createConversation, createId } = parts;
  const atHand = new Map<string, Conversation>();
  const rememberedId = tabStorage.getItem(openKey) ?? undefined;
  const { getState, subscribe, update } = createStore<DeskState>({
    id: addressedId ?? rememberedId ?? createId(),
    conversation: undefined,
    isNew: false,
    isKnown: true,
  });

  function take(id: string, transcript: Transcript): Conversation {
    const conversation = createConversation(transcript);
    atHand.set(id, conversation);
    return conversation;
  }

  function remember(id: string): void {
    try {
      tabStorage.setItem(openKey, id);
    } catch {
      // Full: a reload shows the latest conversation.
    }
  }

  /** Puts away what is not needed beside the conversation `id`. */
  function putAwayBut(id: string): void {
    for (const [otherId, conversation] of atHand) {
      conversation.keep();
      if (otherId === id || isRunning(conversation)) continue;
      atHand.delete(otherId);
      list.release(otherId);
    }
  }

  async function show(id: string, turnId?: string): Promise<void> {
    putAwayBut(id);
    const inHand = atHand.get(id);
    if (inHand) {
      remember(id);
      showTurn(inHand, turnId);
    }
    update({ id, conversation: inHand, isNew: false, isKnown: true });
    if (inHand) return;
    const transcript = await list.open(id);
    // The person may have gone on to another one meanwhile.
    if (getState().id !== id || getState().conversation) return;
    if (transcript === null) return update({ isKnown: false });
    remember(id);
    const conversation = take(id, transcript);
    showTurn(conversation, turnId);
    update({ conversation });
  }

  function showNew(id: string, isNew: boolean): void {
    putAwayBut(id);
    remember(id);
    const conversation = atHand.get(id) ?? take(id, list.begin(id));
    update({ id, conversation, isNew, isKnown: true });
  }

  async function showFirst(): Promise<void> {
    const { id } = getState();
    await list.loaded;
    if (getState().id !== id || getState().conversation) return;
    if (list.isKnown(id)) return show(id);
    // What this tab showed last is an empty one then, unless the address is of somewhere else.
    if (id === rememberedId) return showNew(id, false);
    if (id === addressedId) return show(id);
    showLatest(id);
  }

  function showLatest(idOfNew: string): void {
    const latest = list.getState().entries[0]?.id;
    if (latest === undefined) showNew(idOfNew, false);
    else show(latest);
  }

  list.onChangeElsewhere((id) => {
    const conversation = atHand.get(id);
    if (conversation === undefined) return;
    // It is gone for good, and what runs in it would bring it back.
    if (isRunning(conversation) && !list.isKnown(id)) conversation.clear();
    else conversation.takeIn();
  });
  list.onExporting(() => {
    for (const conversation of atHand.values()) conversation.keep();
  });
  list.onRemovingAll(() => {
    for (const conversation of atHand.values()) conversation.clear();
  });
  showFirst();

  return {
    getState,
    subscribe,

    /**
     * Shows a conversation, and of its versions those that have the turn `turnId`, if that is given. A reply that is being
     * written in the one before goes on.
     */
    open(id: string, turnId?: string): void {
      show(id, turnId);
    },

    /** Shows a new conversation; an empty one is new enough. */
    startNew(): void {
      const { id, conversation } = getState();
      const isEmpty = conversation && isBlank(conversation);
      showNew(isEmpty ? id : createId(), true);
    },

    /**
     * Removes a conversation, and shows the latest of the others where it was the open one. What runs in it is stopped. It can be
     * brought back by the list's `restore`.
     */
    remove(id: string): void {
      const conversation = atHand.get(id);
      conversation?.stop();
      conversation?.keep();
      atHand.delete(id);
      list.remove(id);
      list.release(id);
      if (getState().id === id) showLatest(createId());
    },

    /** Keeps everything as it is. */
    keep(): void {
      for (const conversation of atHand.values()) conversation.keep();
      list.keep();
    },

    /** Finds out what has become of a reply that was being written in another tab. */
    settle(): void {
      for (const conversation of atHand.values()) conversation.settle();
    },

    /** Ends what is running and keeps everything for the next visit. */
    leave(): void {
      for (const conversation of atHand.values()) conversation.leave();
      list.keep();
    },

    /** Ends what is running and forgets what is on the page: the person has signed out. */
    clear(): void {
      list.close();
      for (const conversation of atHand.values()) conversation.clear();
      atHand.clear();
      tabStorage.removeItem(openKey);
      const id = createId();
      update({ id, conversation: take(id, list.begin(id)), isNew: false, isKnown: true });
    },
  };
}

/** Where the turn is shown already, what follows it stays. */
function showTurn(conversation: Conversation, turnId: string | undefined): void {
  const isShown = conversation.getState().turns.some(({ id }) => id === turnId);
  if (turnId !== undefined && !isShown) conversation.showVersion(turnId);
}

function isBlank(conversation: Conversation): boolean {
  const { tree, draft } = conversation.getState();
  return tree.turns.length === 0 && draft === '';
}

function isRunning(conversation: Conversation): boolean {
  return conversation.getState().phase.name !== 'idle';
}
