/** `localStorage`, or anything alike. */
export type DeviceStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** Where things are kept. A person's keys name the person, so that nobody on the same device is shown another's. */
export const deviceKeys = {
  demo: 'advisory-chat:demo',
  /** The name of the channel on which the tabs tell each other who is signed in. */
  signedIn: 'advisory-chat:signed-in',
  /** The name of the database of all conversations, and the beginning of the keys of what is kept beside it. */
  conversations: (userId: string) => `advisory-chat:live:${userId}`,
  openConversation: (userId: string) => `advisory-chat:open:${userId}`,
  /** Where the person was in the open conversation when they left the page. */
  scrollPlace: (userId: string) => `advisory-chat:scroll-place:${userId}`,
  /** Until when the service takes no further turn of the person. */
  blockedUntil: (userId: string) => `advisory-chat:blocked-until:${userId}`,
  onboardingForm: (userId: string) => `advisory-chat:onboarding:${userId}`,
  firstQuestions: (userId: string) => `advisory-chat:first-questions:${userId}`,
} as const;

/** `localStorage` or `sessionStorage`; where the browser denies it, a stand-in that forgets when the page is left. */
export function deviceStorage(kind: 'localStorage' | 'sessionStorage'): DeviceStorage {
  try {
    return window[kind];
  } catch {
    return createForgetfulStorage();
  }
}

/** The keys of all items whose key begins with `beginning`. */
export function keysBeginning(storage: DeviceStorage, beginning: string): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  return keys.filter((key) => key.startsWith(beginning));
}

/** Removes what this device keeps of a person: everything under a key that names them. */
export function forgetPerson(
  userId: string,
  storages = [deviceStorage('localStorage'), deviceStorage('sessionStorage')],
) {
  for (const storage of storages) {
    for (const key of keysBeginning(storage, '')) if (key.split(':').includes(userId)) storage.removeItem(key);
  }
}

function createForgetfulStorage(): DeviceStorage {
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
