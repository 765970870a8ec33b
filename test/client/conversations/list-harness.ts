import 'fake-indexeddb/auto';
import type { Transcript } from '../../../client/chat/transcript.ts';
import { type ConversationList, createConversationList } from '../../../client/conversations/conversation-list.ts';
import { type ConversationDatabase, openConversationDatabase } from '../../../client/device/conversation-database.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { createFakeTabs } from '../device/fake-tabs.ts';

/** One device with one person on it, whose tabs are opened one after the other. */
export type FakeDevice = {
  database: ConversationDatabase;
  storage: FakeStorage;
  /** Advanced, it lets everything be written and read that is on its way. */
  clock: FakeClock;
  /** How often the browser was asked to keep everything. */
  persistCount: () => number;
  /** Opens a tab; without the database where the browser denies it. */
  open(options?: { database: null }): ConversationList;
};

export const prefix = 'advisory-chat:live:ada';

let deviceCount = 0;

export async function createFakeDevice(sameDatabase?: ConversationDatabase): Promise<FakeDevice> {
  const database = sameDatabase ?? (await openConversationDatabase(`device-${++deviceCount}`));
  const storage = createFakeStorage();
  const clock = createPatientClock();
  const openChannel = createFakeTabs();
  let persistCount = 0;
  return {
    database,
    storage,
    clock,
    persistCount: () => persistCount,
    open(options?: { database: null }) {
      const list = createConversationList({
        database: Promise.resolve(options ? null : database),
        storage,
        prefix,
        clock,
        openChannel,
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

/** A fake clock that gives the database its time before and after it is advanced. */
function createPatientClock(): FakeClock {
  const clock = createFakeClock();
  return {
    ...clock,
    async advance(milliseconds) {
      await databaseIdle();
      await clock.advance(milliseconds);
      await databaseIdle();
    },
  };
}

/** The fake database does one thing in each turn of the event loop; what is awaited takes a few dozen of them. */
async function databaseIdle(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function openTranscript(list: ConversationList, id: string): Promise<Transcript> {
  const transcript = await list.open(id);
  if (transcript === null) throw new Error(`There is no conversation ${id}.`);
  return transcript;
}
