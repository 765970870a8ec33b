import 'fake-indexeddb/auto';
import type { Transcript } from '../../../client/chat/transcript.ts';
import { type ConversationDatabase, openConversationDatabase } from '../../../client/device/conversation-database.ts';
import { createLibrary, type Library } from '../../../client/library/library.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { createFakeTabs } from '../device/fake-tabs.ts';

export const prefix = 'advisory-chat:live:ada';

let deviceCount = 0;

export async function createFakeDevice(sameDatabase?: ConversationDatabase) {
  const database = sameDatabase ?? (await openConversationDatabase(`device-${++deviceCount}`));
  const storage = createFakeStorage();
  const clock = createPatientClock();
  const openChannel = createFakeTabs();
  let persistCount = 0;

  /** `database: null` simulates a browser that denies IndexedDB. */
  function open(options?: { database: null }) {
    const library = createLibrary({
      database: Promise.resolve(options ? null : database),
      storage,
      prefix,
      clock,
      openChannel,
      siteStorage: {
        estimate: async () => ({ usage: 1000, quota: 5000 }),
        persisted: async () => false,
        persist: async () => ++persistCount > 0,
      },
    });
    const disconnect = library.connect();
    return { ...library, disconnect };
  }

  return {
    database,
    storage,
    /** Advancing it lets pending reads and writes finish. */
    clock,
    persistCount: () => persistCount,
    openChannel,
    open,
    async openLoaded(options?: { database: null }) {
      const library = open(options);
      await library.loaded;
      return library;
    },
  };
}

/** Creates a fake clock that waits for the database before and after it is advanced. */
function createPatientClock(): FakeClock {
  const clock = createFakeClock();
  return {
    ...clock,
    // The wall clock is an hour behind the steady clock, so that a test notices when a time comes from the wrong one.
    now: () => clock.now() - 3_600_000,
    async advance(milliseconds) {
      await untilDatabaseIdle();
      await clock.advance(milliseconds);
      await untilDatabaseIdle();
    },
  };
}

/** Waits until the fake database is idle. It runs one operation per turn of the event loop, and a test needs a few dozen. */
async function untilDatabaseIdle(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function openTranscript(library: Library, id: string): Promise<Transcript> {
  const transcript = await library.open(id);
  if (transcript === null) throw new Error(`Conversation ${id} not found.`);
  return transcript;
}
