import type { Clock } from './clock.ts';
import { titleOf } from './conversation-entry.ts';
import { createConversationRows } from './conversation-rows.ts';
import { type ConversationStore, noChanges, type StoreChanges } from './conversation-store.ts';
import { type ConversationList, type ConversationListState, undoSeconds } from './conversations.ts';
import type { DeviceItems } from './device-items.ts';
import type { DeviceRoom } from './device-room.ts';
import { createExchange } from './exchange.ts';
import { createJournal } from './journal.ts';
import { createKeptTyped } from './kept-typed.ts';
import { createMissedChanges } from './missed-changes.ts';
import { createOpenTranscripts } from './open-transcripts.ts';
import { readConversations, readTurns } from './read-conversations.ts';
import { searchConversations } from './search-conversations.ts';
import { createStore } from './store.ts';
import { noChannel, type TabChannel } from './tab-channel.ts';
import { readTabMessage, type TabMessage } from './tab-messages.ts';
import type { Transcript } from './transcript.ts';
import { createWriteBehind } from './write-behind.ts';

export type ConversationListParts = {
  /** Resolves with the store of the person. Never rejects. */
  store: Promise<ConversationStore>;
  /** Writes at once: keeps what is typed, and what is not yet in the store when the page is left. */
  storage: DeviceItems;
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
  const missed = createMissedChanges();
  const writer = createWriteBehind({
    store: parts.store,
    clock,
    onRoom: (room) => room !== getState().room && update({ room }),
    onWritten: () => journal.keep(undefined),
  });
  const listeners = { changed: new Set<(id: string) => void>(), forgotten: new Set<() => void>() };
  /** Transcripts in no hand any more, of which something may not be written yet. */
  const released = new Set<string>();
  let channel = noChannel;
  let isClosed = false;
  let hasAskedToStay = false;

  const tell = (message: TabMessage) => channel.post(message);

  /** Takes in a change that was made here, and writes it. */
  function change(changes: StoreChanges): void {
    if (isClosed) return;
    missed.add(changes);
    rows.takeIn(changes);
    if (changes.conversations.length + changes.removedConversations.length > 0) update({ entries: rows.entries() });
    writer.write(changes);
    tell({ type: 'changed', changes });
    if (changes.turns.some(({ turn }) => turn.ending !== null)) askToStay();
  }

  /** Takes in a change that was made elsewhere, and is written there. */
  function takeInChanges(changes: StoreChanges): void {
    missed.add(changes);
    rows.takeIn(changes);
    update({ entries: rows.entries() });
    for (const id of transcripts.takeIn(changes)) for (const listener of listeners.changed) listener(id);
  }

  function hear(value: unknown): void {
    const message = readTabMessage(value);
    if (message?.type === 'changed') takeInChanges(message.changes);
    if (message?.type === 'read anew') takeIn();
    if (message?.type === 'forgotten') for (const listener of listeners.forgotten) listener();
  }

  /** There is something worth keeping: the browser is asked once to keep it even where the device runs short of room. */
  async function askToStay(): Promise<void> {
    if (hasAskedToStay) return;
    hasAskedToStay = true;
    await room
      .persisted()
      .then((isPersisted) => isPersisted || room.persist())
      .catch(() => false);
  }

  async function start(): Promise<void> {
    const store = await parts.store;
    await exclusively(async () => {
      await adopt?.(store);
      for (const { key, changes } of journal.left()) {
        await store.fold(changes);
        journal.forget(key);
      }
    }).catch(() => {
      // There is no room, say: what is left stays where it is for the next start.
    });
    await readRows();
    for (const { removedAt } of rows.all()) if (removedAt !== undefined) purgeAfter(removedAt);
    update({ isLoaded: true, isLasting: store.isLasting });
  }

  async function readRows(): Promise<void> {
    const store = await parts.store;
    const unwritten = writer.unwritten();
    const { kept, since } = await missed.during(() => readConversations(store, typed, clock.now()).catch(() => []));
    if (isClosed) return;
    rows.reset(kept);
    for (const changes of [...(unwritten ? [unwritten] : []), ...since]) rows.takeIn(changes);
    update({ entries: rows.entries() });
    await countDamaged();
  }

  async function countDamaged(): Promise<void> {
    const damaged = await (await parts.store).readDamaged().catch(() => []);
    update({ damagedCount: damaged.length });
  }

  async function open(id: string): Promise<Transcript | null> {
    await loaded;
    if (!isKnown(id)) return null;
    released.delete(id);
    const inHand = transcripts.get(id);
    if (inHand) return inHand;
    const store = await parts.store;
    const { kept, since } = await missed.during(() => readTurns(store, id, countDamaged).catch(() => []));
    const transcript = transcripts.get(id) ?? transcripts.create(id, kept);
    for (const changes of since) transcripts.takeIn(changes);
    return transcript;
  }

  async function takeIn(): Promise<void> {
    await readRows();
    const store = await parts.store;
    for (const id of transcripts.ids()) {
      const { kept, since } = await missed.during(() => readTurns(store, id, countDamaged).catch(() => undefined));
      if (kept === undefined) continue;
      transcripts.replace(id, kept);
      for (const changes of since) transcripts.takeIn(changes);
      for (const listener of listeners.changed) listener(id);
    }
  }

  function isKnown(id: string): boolean {
    const row = rows.get(id);
    return row !== undefined && row.removedAt === undefined;
  }

  function removeForGood(id: string): void {
    change({ ...noChanges, removedConversations: [id] });
    typed.remove(id);
  }

  /** Removes for good, once their time is over, those that were deleted at `removedAt`. */
  function purgeAfter(removedAt: number): void {
    const rest = removedAt + undoSeconds * 1000 - clock.now();
    // A clock that was put back does not keep them for ever.
    clock.after(Math.min(Math.max(rest, 0), undoSeconds * 1000), () => {
      for (const row of rows.all()) if (row.removedAt === removedAt) removeForGood(row.id);
    });
  }

  const loaded = start();
  const exchange = createExchange({ store: parts.store, rows, typed, room, clock });

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
      channel = openChannel();
      const stopListening = channel.listen(hear);
      return () => {
        stopListening();
        channel.close();
        channel = noChannel;
      };
    },

    onChangeElsewhere: (listener) => added(listeners.changed, listener),
    onForgotten: (listener) => added(listeners.forgotten, listener),

    rename(id, name) {
      const row = rows.get(id);
      if (row) change({ ...noChanges, conversations: [{ ...row, name: titleOf(name) || undefined }] });
    },

    remove(id) {
      const row = rows.get(id);
      if (row === undefined) return;
      const removedAt = clock.now();
      change({ ...noChanges, conversations: [{ ...row, removedAt }] });
      purgeAfter(removedAt);
    },

    restore(id) {
      const row = rows.get(id);
      if (row?.removedAt !== undefined) change({ ...noChanges, conversations: [{ ...row, removedAt: undefined }] });
    },

    async removeAll() {
      writer.forget();
      for (const row of rows.all()) typed.remove(row.id);
      await (await parts.store).clear();
      journal.keep(undefined);
      tell({ type: 'read anew' });
      await takeIn();
      update({ room: 'enough' });
    },

    async search(words, signal) {
      await loaded;
      const shownIds = new Map(rows.all().map(({ id, shownId }) => [id, shownId]));
      return searchConversations(await parts.store, shownIds, getState().entries, words, signal);
    },

    exportAll: () => exchange.exportThese(getState().entries),
    exportOne: (id) => exchange.exportThese(getState().entries.filter((entry) => entry.id === id)),
    exportDamaged: exchange.exportDamaged,
    usage: exchange.usage,

    async importFile(text) {
      await loaded;
      await writer.settled();
      const imported = await exchange.importFile(text);
      tell({ type: 'read anew' });
      await takeIn();
      return imported;
    },

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

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
