import type { Conversation } from '../chat/conversation-interface.ts';
import { isEmptyDraft } from '../chat/draft.ts';
import { createStore } from '../chat/store.ts';
import { keepItem, type Transcript, type TranscriptStorage } from '../chat/transcript.ts';
import type { ConversationList } from './conversation-list.ts';

export type OpenConversationsParts = {
  list: ConversationList;
  /** Remembers under `openKey`, for this tab, which conversation it shows. */
  tabStorage: TranscriptStorage;
  openKey: string;
  /** The conversation that the page's address names, if it names one. */
  addressedId?: string | undefined;
  createConversation: (transcript: Transcript) => Conversation;
  createId: () => string;
};

export type OpenConversationsState = {
  /** It can still become another one until `conversation` is there for the first time or `isKnown` is false. */
  id: string;
  /** Undefined while it is being read, and where it is not known. */
  conversation: Conversation | undefined;
  /** False where this device has no conversation of this id: another device's, or a deleted one. */
  isKnown: boolean;
};

export type OpenConversations = ReturnType<typeof createOpenConversations>;

/**
 * The conversations that are open in one tab: the one that is shown, and those whose reply is still being written. It begins
 * with the one that is addressed, or else with the one that this tab showed last, or else with the latest.
 */
export function createOpenConversations(parts: OpenConversationsParts) {
  const { list, tabStorage, openKey, addressedId, createConversation, createId } = parts;
  const conversations = new Map<string, Conversation>();
  const rememberedId = tabStorage.getItem(openKey) ?? undefined;
  const { getState, subscribe, update } = createStore<OpenConversationsState>({
    id: addressedId ?? rememberedId ?? createId(),
    conversation: undefined,
    isKnown: true,
  });

  function take(id: string, transcript: Transcript): Conversation {
    const conversation = createConversation(transcript);
    conversations.set(id, conversation);
    return conversation;
  }

  /** Shows it after a reload too. */
  function remember(id: string): void {
    keepItem(tabStorage, openKey, id);
  }

  /** Closes what is not needed beside the conversation `id`. */
  function closeOthers(id: string): void {
    for (const [otherId, conversation] of conversations) {
      conversation.keep();
      if (otherId === id || isRunning(conversation) || conversation.getState().isBusyElsewhere) continue;
      conversations.delete(otherId);
      list.release(otherId);
    }
  }

  async function show(id: string, turnId?: string): Promise<void> {
    closeOthers(id);
    const known = conversations.get(id);
    if (known) {
      remember(id);
      showTurn(known, turnId);
    }
    update({ id, conversation: known, isKnown: true });
    if (known) return;
    const transcript = await list.open(id);
    // The person may have gone on to another one meanwhile.
    if (getState().id !== id || getState().conversation) return;
    if (transcript === null) return update({ isKnown: false });
    remember(id);
    const conversation = take(id, transcript);
    showTurn(conversation, turnId);
    update({ conversation });
  }

  function showNew(id: string): void {
    closeOthers(id);
    remember(id);
    const conversation = conversations.get(id) ?? take(id, list.begin(id));
    update({ id, conversation, isKnown: true });
  }

  async function showFirst(): Promise<void> {
    const { id } = getState();
    await list.loaded;
    if (getState().id !== id || getState().conversation) return;
    if (list.isKnown(id)) return show(id);
    // What this tab showed last is an empty one then, unless the address is of somewhere else.
    if (id === rememberedId) return showNew(id);
    if (id === addressedId) return show(id);
    showLatest(id);
  }

  function showLatest(idOfNew: string): void {
    const latest = list.getState().entries[0]?.id;
    if (latest === undefined) showNew(idOfNew);
    else show(latest);
  }

  list.onChangeElsewhere((id) => {
    const conversation = conversations.get(id);
    if (conversation === undefined) return;
    // The conversation was deleted permanently, and its running turn would save it again.
    if (isRunning(conversation) && !list.isKnown(id)) conversation.clear();
    else conversation.takeIn();
  });
  list.onExporting(() => {
    for (const conversation of conversations.values()) conversation.keep();
  });
  list.onRemovingAll(() => {
    for (const conversation of conversations.values()) conversation.clear();
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
      showNew(isEmpty ? id : createId());
    },

    /**
     * Removes a conversation, and shows the latest of the others where it was the open one. What runs in it is stopped. It can be
     * brought back by the list's `restore`.
     */
    remove(id: string): void {
      const conversation = conversations.get(id);
      conversation?.stop();
      conversation?.keep();
      conversations.delete(id);
      list.remove(id);
      list.release(id);
      if (getState().id === id) showLatest(createId());
    },

    /** Keeps everything as it is. */
    keep(): void {
      for (const conversation of conversations.values()) conversation.keep();
      list.keep();
    },

    /** Finds out what has become of a reply that was being written in another tab. */
    settle(): void {
      for (const conversation of conversations.values()) conversation.settle();
    },

    /** The page may be about to be left. */
    aboutToLeave(): void {
      for (const conversation of conversations.values()) conversation.aboutToLeave();
    },

    /** Ends what is running and keeps everything for the next visit. */
    leave(): void {
      for (const conversation of conversations.values()) conversation.leave();
      list.keep();
    },

    /** Ends what is running and forgets what is on the page: the person has signed out. */
    clear(): void {
      list.close();
      for (const conversation of conversations.values()) conversation.clear();
      conversations.clear();
      tabStorage.removeItem(openKey);
      const id = createId();
      update({ id, conversation: take(id, list.begin(id)), isKnown: true });
    },
  };
}

/** Where the turn is shown already, what follows it stays. */
function showTurn(conversation: Conversation, turnId: string | undefined): void {
  const isShown = conversation.getState().turns.some(({ id }) => id === turnId);
  if (turnId !== undefined && !isShown) conversation.showVersion(turnId);
}

function isBlank(conversation: Conversation): boolean {
  return conversation.getState().tree.turns.length === 0 && isEmptyDraft(conversation.getState().draft);
}

function isRunning(conversation: Conversation): boolean {
  return conversation.getState().phase.name !== 'idle';
}
