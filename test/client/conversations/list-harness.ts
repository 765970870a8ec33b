import type { Transcript } from '../../../client/chat/transcript.ts';
import { createConversationList } from '../../../client/conversations/conversation-list.ts';
import type { ConversationList } from '../../../client/conversations/conversations.ts';
import type { ConversationStore } from '../../../client/device/conversation-store.ts';
import type { DeviceStorage } from '../../../client/device/device-storage.ts';
import { createMemoryStore } from '../../../client/device/memory-store.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { createFakeTabs } from '../device/fake-tabs.ts';

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
