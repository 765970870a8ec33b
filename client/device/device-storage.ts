import { draftKeyOf } from '../chat/transcript.ts';
import { deleteDatabase } from './delete-database.ts';

/** `localStorage`, or anything alike. */
export type DeviceStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** Where things are kept. A person's keys name the person, so that nobody on the same device is shown another's. */
export const deviceKeys = {
  /** The key of the conversation, and the name of the channel on which a sign-out is announced. */
  demo: 'advisory-chat:demo',
  demoBlockedUntil: 'advisory-chat:demo:blocked-until',
  /** The name of the channel on which the tabs tell each other who is signed in. */
  signedIn: 'advisory-chat:signed-in',
  /** Who is signed in, as the service last said. */
  session: 'advisory-chat:session',
  /** The name of the database of all conversations, and the beginning of the keys of what is kept beside it. */
  conversations: (userId: string) => `advisory-chat:live:${userId}`,
  /** Is there while a person is signed out whose conversations are kept. */
  keptConversations: (userId: string) => `advisory-chat:kept:${userId}`,
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

/** Whether this browser lets the page keep anything. Where it does not, nothing on the page may say so. */
export function keepsAnything(): boolean {
  try {
    return Boolean(window.localStorage);
  } catch {
    return false;
  }
}

/** The keys of all items whose key begins with `beginning`. */
export function keysBeginning(storage: DeviceStorage, beginning: string): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  return keys.filter((key) => key.startsWith(beginning));
}

/** Notes that the conversations of a person stay on this device while they are signed out. */
export function markKept(userId: string, storage = deviceStorage('localStorage')): void {
  try {
    storage.setItem(deviceKeys.keptConversations(userId), '');
  } catch {
    // The device is full. The conversations are kept, and the sign-in page does not say so.
  }
}

/** Whether conversations of people who are signed out are kept on this device. */
export function hasKeptConversations(storage = deviceStorage('localStorage')): boolean {
  return keysBeginning(storage, deviceKeys.keptConversations('')).length > 0;
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

/** Removes what this device keeps of demo chat, but for how long the service takes no further question. */
export function forgetDemo(storage = deviceStorage('localStorage')) {
  for (const key of keysBeginning(storage, deviceKeys.demo)) {
    if (key !== deviceKeys.demoBlockedUntil) storage.removeItem(key);
  }
}

/** Deletes what earlier releases kept of demo chat: a database of conversations, and items beside it. */
export function forgetEarlierDemo(storage: DeviceStorage): void {
  deleteDatabase(deviceKeys.demo);
  for (const key of keysBeginning(storage, `${deviceKeys.demo}:`)) {
    if (key !== deviceKeys.demoBlockedUntil && key !== draftKeyOf(deviceKeys.demo)) storage.removeItem(key);
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

/** What the browser says of the room on the device; a part that it does not know is absent. */
export type DeviceRoom = {
  estimate(): Promise<{ usage?: number; quota?: number }>;
  persisted(): Promise<boolean>;
  /** Asks the browser to keep everything even where the device runs short of room. It may ask the person. */
  persist(): Promise<boolean>;
};

export type RoomUsed = {
  /** What the whole site uses and may use on this device; undefined where the browser does not say. */
  usedBytes: number | undefined;
  quotaBytes: number | undefined;
  /** Whether the browser keeps it even where the device runs short of room. */
  isPersistent: boolean;
};

/** For where the browser says nothing. */
export const unknownRoom: DeviceRoom = {
  estimate: async () => ({}),
  persisted: async () => false,
  persist: async () => false,
};

/** How much is used of the room on the device, as far as the browser says. Never rejects. */
export async function usageOf(room: DeviceRoom): Promise<RoomUsed> {
  const { usage, quota } = await room.estimate().catch(() => ({ usage: undefined, quota: undefined }));
  const isPersistent = await room.persisted().catch(() => false);
  return { usedBytes: usage, quotaBytes: quota, isPersistent };
}

/** Asks the browser, the first time that it is called, to keep everything even where the device runs short of room. */
export function createStayRequest(room: DeviceRoom): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    room.persist().catch(() => {
      // It may still be kept.
    });
  };
}

export type ByteUnit = 'kilobyte' | 'megabyte' | 'gigabyte';

/** So many bytes in the unit in which a person reads them best. The units are decimal, as `Intl` has them. */
export function inUnits(bytes: number): { value: number; unit: ByteUnit } {
  if (bytes < 999_500) return { value: bytes / 1e3, unit: 'kilobyte' };
  return bytes < 999_500_000 ? { value: bytes / 1e6, unit: 'megabyte' } : { value: bytes / 1e9, unit: 'gigabyte' };
}
