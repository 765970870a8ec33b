import type { Clock } from '../chat/clock.ts';
import { createListeners } from '../chat/listeners.ts';
import { createStore } from '../chat/store.ts';
import type { Transcript } from '../chat/transcript.ts';
import type { ConversationEntry } from './conversation-entry.ts';
import { createConversationRows } from './conversation-rows.ts';
import type { ConversationStore, StoreChanges } from './conversation-store.ts';
import { createStayRequest, type DeviceRoom } from './device-room.ts';
import type { DeviceStorage } from './device-storage.ts';
import { createJournal } from './journal.ts';
import { createKeptTyped } from './kept-typed.ts';
import { createOpenTranscripts } from './open-transcripts.ts';
import { createReading } from './reading.ts';
import type { TabChannel } from './tab-channel.ts';
import { createTabLink } from './tab-link.ts';
import type { TabMessage } from './tab-messages.ts';
import { takeOver } from './take-over.ts';
import { createWriteBehind } from './write-behind.ts';

export type KeptConversationsParts = {
  /** Resolves with the store of the person. Never rejects. */
  store: Promise<ConversationStore>;
  /** Writes at once: keeps what is typed, and what is not yet in the store when the page is left. */
  storage: DeviceStorage;
  /** Begins the keys in `storage`. */
  prefix: string;
  clock: Clock;
  openChannel: () => TabChannel;
  room: DeviceRoom;
  /** Lets one tab at a time do what it is given. */
  exclusively: (action: () => Promise<void>) => Promise<void>;
  /** Names this page among those of the person. */
  pageId: string;
  /** Moves what earlier releases have kept into the store, entry by entry. */
  adopt?: ((store: ConversationStore) => Promise<void>) | undefined;
};

export type KeptState = {
  /** Without those that the person has deleted, the latest first. */
  entries: readonly ConversationEntry[];
  /** False until the device has been read for the first time. */
  isLoaded: boolean;
  /** `full` while the device has no room for what was said last. It is kept in memory and written once there is room. */
  room: 'enough' | 'full';
  /** How many records cannot be read. They are kept as they are, for `exportDamaged`. */
  damagedCount: number;
  /** False where the browser denies a store that lasts: everything is forgotten when the page is left. */
  isLasting: boolean;
};

/**
 * What the device keeps of one person, as this page knows it: in memory at once, behind that in the store, and the same in
 * every tab.
 */
export function createKeptConversations(parts: KeptConversationsParts) {
  const { store, storage, prefix, clock, openChannel, room, exclusively, pageId, adopt } = parts;
  const { getState, subscribe, update } = createStore<KeptState>({
    entries: [],
    isLoaded: false,
    room: 'enough',
    damagedCount: 0,
    isLasting: true,
  });
  const rows = createConversationRows();
  const typed = createKeptTyped(storage, prefix);
  const transcripts = createOpenTranscripts({ rows, typed, clock, change });
  const journal = createJournal(storage, `${prefix}:unwritten`, pageId);
  const writer = createWriteBehind({
    store,
    clock,
    onRoom: (room) => room !== getState().room && update({ room }),
    onWritten: () => journal.keep(undefined),
  });
  const reading = createReading({ store, rows, transcripts, typed, clock, unwritten, onPutAside: countDamaged });
  const askToStay = createStayRequest(room);
  const tabs = createTabLink(openChannel, hear);
  const changedElsewhere = createListeners<[id: string]>();
  const forgotten = createListeners<[]>();
  /** Transcripts in no hand any more, of which something may not be written yet. */
  const released = new Set<string>();
  let isClosed = false;

  /** Takes in a change that was made here, and writes it. */
  function change(changes: StoreChanges): void {
    if (isClosed) return;
    reading.hear(changes);
    rows.takeIn(changes);
    if (changes.conversations.length + changes.removedConversations.length > 0) update({ entries: rows.entries() });
    writer.write(changes);
    tabs.tell({ type: 'changed', changes });
    // There is something worth keeping.
    if (changes.turns.some(({ turn }) => turn.ending !== null)) askToStay();
  }

  /** Takes in a change that was made elsewhere, and is written there. */
  function takeInChanges(changes: StoreChanges): void {
    reading.hear(changes);
    rows.takeIn(changes);
    update({ entries: rows.entries() });
    for (const id of transcripts.takeIn(changes)) changedElsewhere.tell(id);
  }

  function hear(message: TabMessage): void {
    if (message.type === 'changed') takeInChanges(message.changes);
    if (message.type === 'read anew') takeIn();
    if (message.type === 'forgotten') forgotten.tell();
  }

  async function start(): Promise<void> {
    const opened = await store;
    await takeOver(opened, { journal, exclusively, adopt });
    await readRows();
    update({ isLoaded: true, isLasting: opened.isLasting });
  }

  async function readRows(): Promise<void> {
    await reading.rows();
    if (isClosed) return;
    update({ entries: rows.entries() });
    await countDamaged();
  }

  async function countDamaged(): Promise<void> {
    const damaged = await (await store).readDamaged().catch(() => []);
    update({ damagedCount: damaged.length });
  }

  /** What the store does not have yet: where the device is full it may be much. */
  function unwritten(): StoreChanges[] {
    const changes = writer.unwritten();
    return changes ? [changes] : [];
  }

  /** Reads the device anew: another tab may have changed it. */
  async function takeIn(): Promise<void> {
    await readRows();
    for (const id of transcripts.ids()) {
      await reading.anew(id);
      changedElsewhere.tell(id);
    }
  }

  /** Takes in what was written past this object, here and in the other tabs. */
  async function readEverywhere(): Promise<void> {
    tabs.tell({ type: 'read anew' });
    await takeIn();
  }

  function isKnown(id: string): boolean {
    const row = rows.get(id);
    return row !== undefined && row.removedAt === undefined;
  }

  const loaded = start();

  return {
    getState,
    subscribe,
    /** Resolves when the device has been read for the first time. Never rejects. */
    loaded,
    store,
    rows,
    typed,
    clock,
    change,
    unwritten,
    /** Resolves when everything is written, or cannot be written now. Never rejects. */
    settled: writer.settled,
    isKnown,
    takeIn,
    readEverywhere,
    onChangeElsewhere: changedElsewhere.add,
    onForgotten: forgotten.add,

    /** Hears what other tabs do, and tells them what this one does, until the returned function is called. */
    connect(): () => void {
      const disconnect = tabs.connect();
      // It has heard nothing until now.
      if (getState().isLoaded) takeIn();
      return disconnect;
    },

    /** Null where the device has none of this id, or the person has deleted it. Never rejects. */
    async open(id: string): Promise<Transcript | null> {
      await loaded;
      if (!isKnown(id)) return null;
      released.delete(id);
      return transcripts.get(id) ?? reading.transcript(id);
    },

    begin(id: string): Transcript {
      released.delete(id);
      return transcripts.get(id) ?? transcripts.create(id, []);
    },

    /** The transcript of the conversation is in no hand on this page any more. */
    async release(id: string): Promise<void> {
      released.add(id);
      await writer.settled();
      if (released.delete(id) && writer.unwritten() === undefined) transcripts.drop(id);
    },

    /** Removes everything for good, and everything that is typed. */
    async removeAll(): Promise<void> {
      writer.forget();
      await writer.settled();
      writer.forget();
      for (const row of rows.all()) typed.remove(row.id);
      await (await store).clear();
      journal.keep(undefined);
      await readEverywhere();
      update({ room: 'enough' });
    },

    /** Keeps what was not written yet where the page can be left the next moment. */
    keep: () => journal.keep(writer.unwritten()),

    /** Forgets what is on the page and writes nothing more. */
    close(): void {
      isClosed = true;
      writer.close();
      typed.close();
      journal.keep(undefined);
      transcripts.clear();
      rows.reset([]);
      update({ entries: [] });
      store.then((opened) => opened.close());
    },
  };
}
