import { createConversation as createCoreConversation } from '../client/chat/conversation.ts';
import type {
  Conversation as CoreConversation,
  ConversationOptions as CoreOptions,
  PublicConversation,
} from '../client/chat/conversation-interface.ts';
import { type PublicConversationState, stateOf } from '../client/chat/conversation-state.ts';
import { createStoredCooldown } from '../client/chat/cooldown.ts';
import { createTranscript, emptyTranscript, type KeyValueStorage } from '../client/chat/transcript.ts';
import { createWebLock } from '../client/chat/turn-lock.ts';

export type ConversationOptions = CoreOptions & {
  /**
   * In a browser: stores the conversation in `localStorage` under this key, allows only one turn at a time in all tabs, remembers
   * the cooldown, and follows the events of the page. Include the user's id if several people use the device. Outside a browser it
   * has no effect. `transcript`, `lock` and `cooldown` replace their parts of it.
   */
  persist?: string | undefined;
};

export interface Conversation extends PublicConversation {
  /** The state of an empty conversation, always the same object: the third argument of React's `useSyncExternalStore`. */
  getServerState(): PublicConversationState;
  /** Ends the running turn as `left`, persists everything, and stops following the events of the page. */
  dispose(): void;
}

/** Creates a conversation with the chat route at `url`, and loads it from its storage. Throws a `TypeError` if `url` is invalid. */
export function createConversation({ persist, ...options }: ConversationOptions): Conversation {
  const conversation = createCoreConversation({ ...pageOptions(persist), ...options });
  const serverState = stateOf(emptyTranscript);
  const stopListening = persist === undefined ? () => {} : followPage(conversation, persist);
  return {
    ...conversation,
    getServerState: () => serverState,
    dispose() {
      stopListening();
      conversation.leave();
    },
  };
}

/** Returns no options without a key, or outside a page, where nothing is stored or shared with other tabs. */
function pageOptions(key: string | undefined): Partial<CoreOptions> {
  if (key === undefined || globalThis.document === undefined) return {};
  const storage = pageStorage();
  const locks = globalThis.navigator?.locks;
  warnOnce([
    ...(storage ? [] : ['localStorage (the conversation is lost with the page)']),
    ...(locks ? [] : ['navigator.locks (tabs can send at the same time; it needs HTTPS or localhost)']),
  ]);
  return {
    ...(storage && {
      transcript: createTranscript(storage, key),
      cooldown: createStoredCooldown(storage, `${key}:cooldown`),
    }),
    lock: createWebLock(locks, key),
  };
}

/** Browsers throw if the user has denied storage. */
function pageStorage(): KeyValueStorage | undefined {
  try {
    return globalThis.localStorage ?? undefined;
  } catch {
    return undefined;
  }
}

let hasWarned = false;

function warnOnce(missing: readonly string[]): void {
  if (hasWarned || missing.length === 0) return;
  hasWarned = true;
  // biome-ignore lint/suspicious/noConsole: a developer would not notice otherwise.
  console.warn(`advisory-chat-client: this page has no ${missing.join(' and no ')}.`);
}

function followPage(conversation: CoreConversation, key: string): () => void {
  const page = globalThis.document;
  if (page === undefined) return () => {};
  const listening = new AbortController();
  const { signal } = listening;
  addEventListener('beforeunload', conversation.prepareToLeave, { signal });
  addEventListener('pagehide', conversation.leave, { signal });
  // A page restored from the back/forward cache has missed the changes of other tabs.
  addEventListener('pageshow', (event) => event.persisted && conversation.loadStored(), { signal });
  addEventListener('storage', (event) => (event.key === key || event.key === null) && conversation.loadStored(), {
    signal,
  });
  // On a phone a hidden page can be discarded without a further event.
  const onVisibility = () => (page.hidden ? conversation.persist() : void conversation.watchOtherTabs());
  page.addEventListener('visibilitychange', onVisibility, { signal });
  return () => listening.abort();
}
