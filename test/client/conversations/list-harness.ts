import type { Transcript } from '../../../client/chat/transcript.ts';
import { createConversationList } from '../../../client/conversations/conversation-list.ts';
import type { ConversationList } from '../../../client/conversations/conversations.ts';
import type { ConversationStore } from '../../../client/device/conversation-store.ts';
import type { DeviceStorage } from '../../../client/device/device-storage.ts';
import { createMemoryStore } from '../../../client/device/memory-store.ts';
import type { TabChannel } from '../../../client/device/tab-channel.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';

/** One device with one person on it, whose tabs are opened one after the other. */
export type FakeDevice = {
  store: ConversationStore;
  storage: FakeStorage;
  clock: FakeClock;
  /** How often the browser was asked to keep everything. */
  persistCount: () => number;
  /** Opens a tab. */
  open(options?: OpenOptions): ConversationList;
};

type OpenOptions = { adopt?: (store: ConversationStore) => Promise<void> };

type DeviceParts = { store?: ConversationStore; storage?: FakeStorage; clock?: FakeClock; prefix?: string };

export const prefix = 'advisory-chat:live:ada';

export function createFakeDevice(parts: DeviceParts = {}): FakeDevice {
  const { store = createMemoryStore(), storage = createFakeStorage(), clock = createFakeClock() } = parts;
  const openChannel = createFakeTabs();
  let persistCount = 0;
  let pages = 0;
  return {
    store,
    storage,
    clock,
    persistCount: () => persistCount,
    open({ adopt } = {}) {
      const list = createConversationList({
        store: Promise.resolve(store),
        storage,
        prefix: parts.prefix ?? prefix,
        clock,
        openChannel,
        exclusively: (action) => action(),
        pageId: `page-${++pages}`,
        adopt,
        room: {
          estimate: async () => ({ usage: 1000, quota: 5000 }),
          persisted: async () => false,
          persist: async () => ++persistCount > 0,
        },
      });
      list.connect();
      return list;
    },
  };
}

/** What the tabs of a browser tell each other reaches all others at once, as a copy. */
function createFakeTabs(): () => TabChannel {
  const listeners = new Map<object, (message: unknown) => void>();
  return () => {
    const self = {};
    return {
      post(message) {
        for (const [other, listener] of listeners) if (other !== self) listener(structuredClone(message));
      },
      listen(listener) {
        listeners.set(self, listener);
        return () => void listeners.delete(self);
      },
      close: () => void listeners.delete(self),
    };
  };
}

export async function openTranscript(list: ConversationList, id: string): Promise<Transcript> {
  const transcript = await list.open(id);
  if (transcript === null) throw new Error(`There is no conversation ${id}.`);
  return transcript;
}

/** What the device has under these names, as it had before there was a store. */
export function fill(storage: DeviceStorage, items: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(items)) {
    storage.setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
}
