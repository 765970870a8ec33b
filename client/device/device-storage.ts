import { writeItem } from '../write-item.ts';

export type DeviceStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** A user's keys contain the user's id, so that no one sees another user's data on a shared device. */
export const deviceKeys = {
  /** The key of the conversation, and the name of its lock and of the channel that announces its deletion at a sign-out. */
  demo: 'advisory-chat:demo',
  demoBlockedUntil: 'advisory-chat:demo:blocked-until',
  /** Hashes of diagrams; they belong to no user. */
  unfinishedDrawings: 'advisory-chat:unfinished-drawings',
  /** The name of the channel on which tabs announce who is signed in. */
  signedIn: 'advisory-chat:signed-in',
  /** The signed-in user, as last reported by the service. */
  session: 'advisory-chat:session',
  /** The provider of the last sign-in on this device, whoever the user was. */
  provider: 'advisory-chat:provider',
  /** The name of the conversations' database, lock and channel, and the prefix of the keys stored beside the database. */
  conversations: (userId: string) => `advisory-chat:live:${userId}`,
  /** Present while the user is signed out and their conversations are kept. */
  retainedConversations: (userId: string) => `advisory-chat:kept:${userId}`,
  openConversation: (userId: string) => `advisory-chat:open:${userId}`,
  readingPosition: (userId: string) => `advisory-chat:scroll-place:${userId}`,
  cooldownUntil: (userId: string) => `advisory-chat:blocked-until:${userId}`,
  onboardingForm: (userId: string) => `advisory-chat:onboarding:${userId}`,
  firstQuestions: (userId: string) => `advisory-chat:first-questions:${userId}`,
} as const;

/**
 * Returns `localStorage` or `sessionStorage`; an in-memory storage if the browser denies it, or if it is null, as in a web view of
 * Android without DOM storage.
 */
export function deviceStorage(kind: 'localStorage' | 'sessionStorage'): DeviceStorage {
  return browserStorage(kind) ?? createMemoryStorage();
}

/** If this is false, the page must not claim that anything is saved. */
export function canStoreData(): boolean {
  return browserStorage('localStorage') !== null;
}

function browserStorage(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[kind];
  } catch {
    return null;
  }
}

export function keysWithPrefix(storage: DeviceStorage, prefix: string): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  return keys.filter((key) => key.startsWith(prefix));
}

export function markConversationsRetained(userId: string, storage = deviceStorage('localStorage')): void {
  // If the storage is full, the conversations are kept, but the sign-in page does not mention them.
  writeItem(storage, deviceKeys.retainedConversations(userId), '');
}

export function hasRetainedConversations(storage = deviceStorage('localStorage')): boolean {
  return keysWithPrefix(storage, deviceKeys.retainedConversations('')).length > 0;
}

export function deleteUserData(
  userId: string,
  storages = [deviceStorage('localStorage'), deviceStorage('sessionStorage')],
) {
  for (const storage of storages) {
    for (const key of keysWithPrefix(storage, '')) if (key.split(':').includes(userId)) storage.removeItem(key);
  }
}

/** Deletes the demo's data, except for the time until which the service accepts no further question. */
export function deleteDemoData(storage = deviceStorage('localStorage')) {
  for (const key of keysWithPrefix(storage, deviceKeys.demo)) {
    if (key !== deviceKeys.demoBlockedUntil) storage.removeItem(key);
  }
}

function createMemoryStorage(): DeviceStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    key: (index) => [...items.keys()][index] ?? null,
    get length() {
      return items.size;
    },
  };
}
