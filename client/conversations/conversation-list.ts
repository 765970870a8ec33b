import type { Clock } from '../chat/clock.ts';
import { createListeners } from '../chat/listeners.ts';
import { createStore } from '../chat/store.ts';
import type { Transcript } from '../chat/transcript.ts';
import { type ConversationEntry, titleOf } from '../device/conversation-entry.ts';
import { createConversationRows } from '../device/conversation-rows.ts';
import { type ConversationStore, noChanges, type StoreChanges } from '../device/conversation-store.ts';
import { createStayRequest, type DeviceRoom, usageOf } from '../device/device-room.ts';
import type { DeviceStorage } from '../device/device-storage.ts';
import { createJournal } from '../device/journal.ts';
import { createKeptTyped } from '../device/kept-typed.ts';
import { createOpenTranscripts } from '../device/open-transcripts.ts';
import { createReading } from '../device/reading.ts';
import type { TabChannel } from '../device/tab-channel.ts';
import { createTabLink } from '../device/tab-link.ts';
import type { TabMessage } from '../device/tab-messages.ts';
import { createWriteBehind } from '../device/write-behind.ts';
import type { ConversationList, ConversationListState } from './conversations.ts';
import { createDeletion } from './deletion.ts';
import type { ExportedConversations } from './exported-conversations.ts';

export type ConversationListParts = {
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

/** The conversations that the device keeps of one person. */
export function createConversationList(parts: ConversationListParts): ConversationList {
  const { storage, prefix, clock, openChannel, room, exclusively, pageId, adopt } = parts;
  const { getState, subscribe, update } = createStore<ConversationListState>({
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
    store: parts.store,
    clock,
    onRoom: (room) => room !== getState().room && update({ room }),
    onWritten: () => journal.keep(undefined),
  });
  const reading = createReading({
    store: parts.store,
    rows,
    transcripts,
    typed,
    clock,
    unwritten,
    onPutAside: countDamaged,
  });
  const deletion = createDeletion({ rows, typed, clock, change });
  const askToStay = createStayRequest(room);
  const tabs = createTabLink(openChannel, hear);
  const changedElsewhere = createListeners<[id: string]>();
  const forgotten = createListeners<[]>();
  const exporting = createListeners<[]>();
  const removingAll = createListeners<[]>();
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
    const store = await parts.store;
    if (adopt || journal.left().length > 0) {
      await exclusively(() => takeOver(store)).catch(() => {
        // There is no room, say: what is left stays where it is for the next start.
      });
    }
    await readRows();
    deletion.resume();
    update({ isLoaded: true, isLasting: store.isLasting });
  }

  /** Brings into the store what earlier releases and earlier pages have left. */
  async function takeOver(store: ConversationStore): Promise<void> {
    await adopt?.(store);
    for (const { key, changes } of journal.left()) {
      await store.fold(changes);
      journal.forget(key);
    }
  }

  async function readRows(): Promise<void> {
    await reading.rows();
    if (isClosed) return;
    update({ entries: rows.entries() });
    await countDamaged();
  }

  /** What the store does not have yet. */
  function unwritten(): StoreChanges[] {
    const changes = writer.unwritten();
    return changes ? [changes] : [];
  }

  async function countDamaged(): Promise<void> {
    const damaged = await (await parts.store).readDamaged().catch(() => []);
    update({ damagedCount: damaged.length });
  }

  async function open(id: string): Promise<Transcript | null> {
    await loaded;
    if (!isKnown(id)) return null;
    released.delete(id);
    return transcripts.get(id) ?? reading.transcript(id);
  }

  async function takeIn(): Promise<void> {
    await readRows();
    for (const id of transcripts.ids()) {
      await reading.anew(id);
      changedElsewhere.tell(id);
    }
  }

  function isKnown(id: string): boolean {
    const row = rows.get(id);
    return row !== undefined && row.removedAt === undefined;
  }

  const loaded = start();

  /** What takes conversations off the device and onto it: loaded when it is asked for. */
  async function exchange() {
    const { createExchange } = await import('./exchange.ts');
    return createExchange({ store: await parts.store, rows, typed, clock, unwritten });
  }

  async function exportThese(isWanted: (entry: ConversationEntry) => boolean): Promise<ExportedConversations> {
    const { exportThese } = await exchange();
    exporting.tell();
    return exportThese(getState().entries.filter(isWanted));
  }

  return {
    getState,
    subscribe,
    loaded,
    open,
    isKnown,

    begin(id) {
      released.delete(id);
      return transcripts.get(id) ?? transcripts.create(id, []);
    },

    async release(id) {
      released.add(id);
      await writer.settled();
      if (released.delete(id) && writer.unwritten() === undefined) transcripts.drop(id);
    },

    connect() {
      const disconnect = tabs.connect();
      // It has heard nothing until now.
      if (getState().isLoaded) takeIn();
      return disconnect;
    },

    onChangeElsewhere: changedElsewhere.add,
    onForgotten: forgotten.add,
    onExporting: exporting.add,
    onRemovingAll: removingAll.add,

    rename(id, name) {
      const row = rows.get(id);
      if (row) change({ ...noChanges, conversations: [{ ...row, name: titleOf(name) || undefined }] });
    },

    remove: deletion.remove,
    restore: deletion.restore,

    async removeAll() {
      removingAll.tell();
      writer.forget();
      await writer.settled();
      writer.forget();
      for (const row of rows.all()) typed.remove(row.id);
      await (await parts.store).clear();
      journal.keep(undefined);
      tabs.tell({ type: 'read anew' });
      await takeIn();
      update({ room: 'enough' });
    },

    async search(words, signal) {
      const { searchConversations } = await import('./search-conversations.ts');
      await loaded;
      const shownIds = new Map(rows.all().map(({ id, shownId }) => [id, shownId]));
      return searchConversations(await parts.store, shownIds, getState().entries, words, signal);
    },

    exportAll: () => exportThese(() => true),
    exportOne: (id) => exportThese((entry) => entry.id === id),
    exportDamaged: async () => (await exchange()).exportDamaged(),

    async importFile(text) {
      await loaded;
      await writer.settled();
      const imported = await (await exchange()).importFile(text);
      tabs.tell({ type: 'read anew' });
      await takeIn();
      return imported;
    },

    usage: async () => ({ conversations: getState().entries.length, ...(await usageOf(room)) }),

    keep: () => journal.keep(writer.unwritten()),
    takeIn,

    close() {
      isClosed = true;
      writer.close();
      typed.close();
      journal.keep(undefined);
      transcripts.clear();
      rows.reset([]);
      update({ entries: [] });
      parts.store.then((store) => store.close());
    },
  };
}
