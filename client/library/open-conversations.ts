import type { Conversation } from '../chat/conversation-interface.ts';
import { isEmptyDraft } from '../chat/draft.ts';
import type { KeyValueStorage, Transcript } from '../chat/transcript.ts';
import { createStore } from '../store.ts';
import { writeItem } from '../write-item.ts';
import type { Library } from './library.ts';

type OpenConversationsDependencies = {
  library: Library;
  tabStorage: KeyValueStorage;
  openKey: string;
  idInUrl?: string | undefined;
  createConversation: (transcript: Transcript) => Conversation;
  createId: () => string;
  /** Called before `startNew` creates a conversation. */
  onStartNew?: () => void;
};

type OpenConversationsState = {
  /** The first id is provisional until `conversation` is set or `isKnown` is false. */
  id: string;
  /** Undefined while it is loading, or if it is unknown. */
  conversation: Conversation | undefined;
  /** False if this device has no conversation with this id: it was deleted, or it is on another device. */
  isKnown: boolean;
  runningIds: readonly string[];
};

export type OpenConversations = ReturnType<typeof createOpenConversations>;

/** Starts with the conversation in the URL, else with the one that this tab showed last, else with the latest. */
export function createOpenConversations(dependencies: OpenConversationsDependencies) {
  const { library, tabStorage, openKey, idInUrl, createConversation, createId, onStartNew } = dependencies;
  const conversations = new Map<string, Conversation>();
  const rememberedId = tabStorage.getItem(openKey) ?? undefined;
  const { getState, subscribe, update } = createStore<OpenConversationsState>({
    id: idInUrl ?? rememberedId ?? createId(),
    conversation: undefined,
    isKnown: true,
    runningIds: [],
  });

  function add(id: string, transcript: Transcript): Conversation {
    const conversation = createConversation(transcript);
    conversations.set(id, conversation);
    conversation.subscribe(updateRunning);
    return conversation;
  }

  function updateRunning(): void {
    const runningIds = [...conversations].filter(([, each]) => isRunning(each)).map(([id]) => id);
    if (runningIds.join() !== getState().runningIds.join()) update({ runningIds });
  }

  function remember(id: string): void {
    writeItem(tabStorage, openKey, id);
  }

  function closeOthers(id: string): void {
    for (const [otherId, conversation] of conversations) {
      conversation.persist();
      if (otherId === id || isRunning(conversation) || conversation.getState().waitsForOtherTab) continue;
      conversations.delete(otherId);
      library.release(otherId);
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
    const transcript = await library.open(id);
    // The user may have opened another conversation meanwhile.
    if (getState().id !== id || getState().conversation) return;
    if (transcript === null) return update({ isKnown: false });
    remember(id);
    const conversation = add(id, transcript);
    showTurn(conversation, turnId);
    update({ conversation });
  }

  function showNew(id: string): void {
    closeOthers(id);
    remember(id);
    const conversation = conversations.get(id) ?? add(id, library.create(id));
    update({ id, conversation, isKnown: true });
  }

  async function showFirst(): Promise<void> {
    const { id } = getState();
    await library.loaded;
    if (getState().id !== id) return;
    if (library.isKnown(id)) return show(id);
    // This tab's last conversation was empty and therefore not stored, or it was deleted.
    if (id === rememberedId) return showNew(id);
    if (id === idInUrl) return show(id);
    showLatest(id);
  }

  function showLatest(idOfNew: string): void {
    const latest = library.getState().entries[0]?.id;
    if (latest === undefined) showNew(idOfNew);
    else show(latest);
  }

  library.onChangeElsewhere((id) => {
    if (id === getState().id && !getState().isKnown && library.isKnown(id)) void show(id);
    const conversation = conversations.get(id);
    if (conversation === undefined) return;
    // The conversation was deleted permanently, and its running turn would save it again.
    if (isRunning(conversation) && library.row(id) === undefined) conversation.clear();
    else conversation.loadStored();
  });
  library.onImported((id) => {
    const conversation = conversations.get(id);
    if (conversation) showTurn(conversation, library.row(id)?.shownId ?? undefined);
  });
  library.onExporting(() => {
    for (const conversation of conversations.values()) conversation.persist();
  });
  library.onRemovingAll(() => {
    for (const conversation of conversations.values()) conversation.clear();
  });
  showFirst();

  return {
    getState,
    subscribe,

    /** Shows a conversation, and the version that contains `turnId`, if given. A running reply of the previous one continues. */
    open: show,

    startNew(): void {
      onStartNew?.();
      const { id, conversation } = getState();
      const isEmpty = conversation !== undefined && isBlank(conversation);
      // An empty conversation is replaced if it still knows of a wait that `onStartNew` may have lifted.
      if (isEmpty && conversation.getState().cooldownUntil !== null) conversations.delete(id);
      showNew(isEmpty ? id : createId());
    },

    /** Stops its running turn. If it was open, shows the latest of the others. The library's `restore` undoes the deletion. */
    remove(id: string): void {
      const conversation = conversations.get(id);
      conversation?.stop();
      conversation?.persist();
      conversations.delete(id);
      library.remove(id);
      library.release(id);
      if (getState().id === id) showLatest(createId());
    },

    persist(): void {
      for (const conversation of conversations.values()) conversation.persist();
      library.persist();
    },

    watchOtherTabs(): void {
      for (const conversation of conversations.values()) conversation.watchOtherTabs();
    },

    /** Call it on `beforeunload`, which the user can still cancel. A turn whose connection is lost soon after ends as `left`. */
    prepareToLeave(): void {
      for (const conversation of conversations.values()) conversation.prepareToLeave();
    },

    leave(): void {
      for (const conversation of conversations.values()) conversation.leave();
      library.persist();
    },

    /** Ends running turns and clears the page, after the user has signed out. */
    clear(): void {
      library.close();
      for (const conversation of conversations.values()) conversation.clear();
      conversations.clear();
      tabStorage.removeItem(openKey);
      const id = createId();
      update({ id, conversation: add(id, library.create(id)), isKnown: true });
    },
  };
}

/** Does nothing if the turn is already shown, so that the turns after it stay shown. */
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
