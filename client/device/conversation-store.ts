import { isObject } from '../../shared/is-object.ts';
import { type Clock, createThrottle } from '../chat/clock.ts';
import type { Transcript } from '../chat/transcript.ts';
import { createListeners, createStore } from '../store.ts';
import { type ConversationDatabase, isQuotaExceeded, noChanges, type TurnBatch } from './conversation-database.ts';
import {
  type ConversationEntry,
  type ConversationRow,
  isConversationId,
  type TurnKey,
  type TurnRow,
} from './conversation-records.ts';
import { titleOfDraft } from './conversation-title.ts';
import type { DeviceStorage } from './device-storage.ts';
import { createDrafts } from './drafts.ts';
import { createPersistenceRequester, type SiteStorage } from './site-storage.ts';
import { createStoredTranscript, type StoredTranscript } from './stored-transcript.ts';
import { noChannel, type TabChannel } from './tab-channel.ts';
import { createUnwrittenRecords } from './unwritten-records.ts';

export type ConversationStoreDependencies = {
  /** Resolves with the user's database, or with null if the browser denies IndexedDB. Never rejects. */
  database: Promise<ConversationDatabase | null>;
  /** Synchronous storage, for the drafts. */
  storage: DeviceStorage;
  prefix: string;
  clock: Clock;
  openChannel: () => TabChannel;
  siteStorage: SiteStorage;
};

type StoreState = {
  /** Excludes deleted conversations; the latest is first. An unchanged entry stays the same object. */
  entries: readonly ConversationEntry[];
  /** False until the first attempt to read the database has ended. */
  isLoaded: boolean;
  /**
   * `full` while the device has no room for the latest changes, `failing` while they cannot be written for another reason. They stay
   * in memory and are written once that works, unless the browser denies IndexedDB.
   */
  persistence: 'working' | 'full' | 'failing';
};

export type ConversationStore = ReturnType<typeof createConversationStore>;

const retryMilliseconds = 5_000;

/**
 * Manages the conversations of one user, as this page knows them. Memory is the source of truth and is written to the database
 * asynchronously. After a write, a tab announces the conversations that changed, and the other tabs read them again. The turns of
 * a conversation are in memory while it is open or they are not written yet.
 */
export function createConversationStore(dependencies: ConversationStoreDependencies) {
  const { storage, prefix, clock, openChannel, siteStorage } = dependencies;
  const { getState, subscribe, update } = createStore<StoreState>({
    entries: [],
    isLoaded: false,
    persistence: 'working',
  });
  const rows = new Map<string, ConversationRow>();
  const open = new Map<string, StoredTranscript>();
  const unwritten = createUnwrittenRecords({
    row: (id) => rows.get(id),
    turn: (id, turnId) => open.get(id)?.turn(turnId),
  });
  const drafts = createDrafts({
    storage,
    prefix,
    isUnwritten: (id) => Boolean(database) && unwritten.hasAnyOf(id),
    onSaved() {
      if (drafts.hasUnsaved()) retrySoon.schedule();
      updatePersistence();
    },
  });
  /** Conversations that the page has closed, and whose turns leave memory once they are written. */
  const released = new Set<string>();
  const changedElsewhere = createListeners<[id: string]>();
  const imported = createListeners<[id: string]>();
  const signedOut = createListeners<[]>();
  const requestPersistence = createPersistenceRequester(siteStorage);
  const retrySoon = createThrottle(clock, retryMilliseconds, flush);
  let database: ConversationDatabase | null | undefined;
  let channel = noChannel;
  let writing: Promise<void> | undefined;
  let lastWrite: StoreState['persistence'] = 'working';
  /** The number of changes that other tabs have announced, and of times at which an announcement may have been missed. */
  let announcedCount = 0;
  let isClosed = false;

  function updateEntries(): void {
    const known = new Map(getState().entries.map((entry) => [entry.id, entry]));
    const visibleRows = [...rows.values()].filter(({ removedAt }) => removedAt === undefined);
    const entries = visibleRows
      .sort((one, other) => other.lastActiveAt - one.lastActiveAt)
      .map((row) => entryOf(row, known.get(row.id)));
    const { entries: before } = getState();
    if (entries.length !== before.length || entries.some((entry, index) => entry !== before[index]))
      update({ entries });
  }

  function recordChange(id: string, turnIds: readonly string[], row?: ConversationRow): void {
    if (isClosed) return;
    for (const turnId of turnIds) unwritten.addTurn(id, turnId);
    if (row) {
      rows.set(id, row);
      unwritten.addRow(id);
      updateEntries();
    }
    // Asks the browser for persistent storage once a reply has ended, because there is then something to lose.
    if (turnIds.some((turnId) => (open.get(id)?.turn(turnId)?.turn.ending ?? null) !== null)) requestPersistence();
    flush();
  }

  function purge(id: string): void {
    if (isClosed) return;
    rows.delete(id);
    open.get(id)?.replace([], () => false);
    unwritten.addRemoval(id);
    drafts.remove(id);
    updateEntries();
    flush();
  }

  function updatePersistence(): void {
    const persistence = lastWrite === 'working' && drafts.hasUnsaved() ? 'full' : lastWrite;
    if (persistence !== getState().persistence) update({ persistence });
  }

  /** Resolves once the changes are written, a write has failed or the store is closed. Never rejects. */
  function flush(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  async function writeAll(): Promise<void> {
    if (database === undefined) await opened;
    drafts.saveUnsaved();
    while (!unwritten.isEmpty() && !isClosed) if (!(await write())) return;
    if (drafts.hasUnsaved() && !isClosed) retrySoon.schedule();
  }

  async function write(): Promise<boolean> {
    retrySoon.cancel();
    const { changes, markWritten } = unwritten.take();
    try {
      await database?.write(changes);
    } catch (error) {
      if (isClosed) return false;
      lastWrite = isQuotaExceeded(error) ? 'full' : 'failing';
      updatePersistence();
      retrySoon.schedule();
      return false;
    }
    const ids = markWritten();
    if (isClosed) return true;
    if (database) lastWrite = 'working';
    updatePersistence();
    announce(ids);
    drafts.deleteWritten();
    for (const id of released) closeIfWritten(id);
    return true;
  }

  function closeIfWritten(id: string): void {
    // Without a database, memory holds the only copy.
    if (database === null || unwritten.hasAnyOf(id)) return;
    released.delete(id);
    open.delete(id);
  }

  /** Writes memory again after the browser has deleted the database. Conversations whose turns are not in memory are lost. */
  function writeAgain(): void {
    if (isClosed) return;
    for (const id of rows.keys()) if (!open.has(id)) rows.delete(id);
    for (const [id, transcript] of open) {
      if (rows.has(id)) unwritten.addRow(id);
      for (const row of transcript.rows()) unwritten.addTurn(id, row.id);
    }
    updateEntries();
    flush();
  }

  function announce(ids: Iterable<string>): void {
    channel.post({ type: 'changed', ids: [...ids] });
  }

  function receive(message: unknown): void {
    // The message is validated, because another tab may run another release.
    if (!isObject(message)) return;
    if (message.type === 'forgotten') signedOut.notify();
    if (message.type !== 'changed' || !Array.isArray(message.ids)) return;
    announcedCount += 1;
    refresh(message.ids.filter(isConversationId));
  }

  /** Repeats `read` while other tabs announce changes, because its result may be older than these. */
  async function readLatest<T>(read: () => Promise<T>): Promise<T> {
    for (;;) {
      const count = announcedCount;
      const result = await read();
      if (count === announcedCount) return result;
    }
  }

  /** Reads these conversations from the database again and merges them. Never rejects. */
  async function refresh(ids: readonly string[]): Promise<void> {
    const database = await usableDatabase();
    for (const id of ids) {
      try {
        const isOpen = open.has(id);
        const reading = [database?.readConversation(id), isOpen ? database?.readTurns(id) : undefined] as const;
        const [row, turns] = await Promise.all(reading);
        if (!isClosed && database) replace(id, row, turns);
      } catch {
        // If the database fails, memory stays as it is.
      }
    }
  }

  /** `turns` is undefined if they were not read. */
  function replace(id: string, row: ConversationRow | undefined, turns: readonly TurnRow[] | undefined): void {
    const known = rows.get(id);
    if (!unwritten.hasRow(id)) {
      if (row) rows.set(id, row);
      else rows.delete(id);
    }
    const hasChanged = (turns && open.get(id)?.replace(turns, (turnId) => unwritten.hasTurn(id, turnId))) ?? false;
    updateEntries();
    if (hasChanged || JSON.stringify(known) !== JSON.stringify(rows.get(id))) changedElsewhere.notify(id);
  }

  async function reload(): Promise<void> {
    await refresh([...open.keys()]);
    await readRows();
  }

  async function readRows(): Promise<void> {
    const read = await readLatest(async () => (await usableDatabase())?.readConversations()).catch(() => undefined);
    if (isClosed) return;
    if (read) {
      for (const id of rows.keys()) if (!unwritten.hasRow(id)) rows.delete(id);
      for (const row of read) if (!unwritten.hasRow(row.id)) rows.set(row.id, row);
    }
    for (const id of drafts.ids()) {
      const title = titleOfDraft(drafts.load(id));
      const isLost = title !== '' && isConversationId(id) && !rows.has(id) && !unwritten.hasRow(id);
      if (isLost) rows.set(id, { id, title, lastActiveAt: clock.now(), shownId: null });
    }
    updateEntries();
  }

  /** Returns the turns of a conversation in order of creation, from memory or else from the database. Rejects if that fails. */
  async function readTurnRows(id: string): Promise<TurnRow[]> {
    const read = open.has(id) ? [] : await readLatest(async () => (await usableDatabase())?.readTurns(id));
    return open.get(id)?.rows() ?? read ?? [];
  }

  function transcriptOf(id: string, storedRows: readonly TurnRow[]): Transcript {
    released.delete(id);
    const known = open.get(id);
    if (known) return known.transcript;
    const created = createStoredTranscript({
      id,
      storedRows,
      now: clock.now,
      getRow: () => rows.get(id),
      drafts,
      onChange: (turnIds, row) => recordChange(id, turnIds, row),
      onEmpty: () => purge(id),
      refresh: () => refresh([id]),
    });
    open.set(id, created);
    return created.transcript;
  }

  /** Returns whether this device has the conversation and the user has not deleted it. */
  function isKnown(id: string): boolean {
    const row = rows.get(id);
    return row !== undefined && row.removedAt === undefined;
  }

  const opened = dependencies.database.then((ready) => {
    database = ready;
    if (ready === null) lastWrite = 'failing';
    updatePersistence();
    ready?.onEmptied(writeAgain);
    return ready;
  });

  /** Resolves with null once the store is closed, because a request would create the deleted database again. */
  async function usableDatabase(): Promise<ConversationDatabase | null> {
    const ready = await opened;
    return isClosed ? null : ready;
  }

  const loaded = opened.then(readRows).then(() => update({ isLoaded: true }));

  return {
    getState,
    subscribe,
    loaded,
    loadDraft: drafts.load,
    saveDraft: drafts.save,
    purge,
    isKnown,
    /** The transcript is updated before `listener` is called. The changes come from another tab or an import. */
    onChangeElsewhere: changedElsewhere.add,
    /** Calls `listener` with the id of a conversation that an import has changed, after the listeners of `onChangeElsewhere`. */
    onImported: imported.add,
    onSignedOutElsewhere: signedOut.add,
    readTurnRows,

    /** Includes deleted conversations until they are purged. */
    rows: (): readonly ConversationRow[] => [...rows.values()],
    row: (id: string): ConversationRow | undefined => rows.get(id),
    change: (row: ConversationRow) => recordChange(row.id, [], row),

    openTurns: (): ReadonlyMap<string, readonly TurnRow[]> =>
      new Map([...open].map(([id, transcript]) => [id, transcript.rows()])),
    readTurnsAfter: async (after: TurnKey | undefined, count: number): Promise<TurnBatch> =>
      (await (await usableDatabase())?.readTurnsAfter(after, count)) ?? { rows: [], cursor: undefined },

    /** Adds the row and missing turns of an import; rejects if the write fails. Call `announceAdded` afterwards to update the list. */
    async add(row: ConversationRow, missing: readonly TurnRow[]): Promise<void> {
      await (await usableDatabase())?.write({ ...noChanges, conversations: [row], turns: missing });
      if (isClosed) throw new Error('The user has signed out.');
      if (database === null) transcriptOf(row.id, []);
      rows.set(row.id, row);
      const inMemory = open.get(row.id);
      inMemory?.replace([...inMemory.rows(), ...missing], () => false);
    },

    announceAdded(ids: readonly string[]): void {
      updateEntries();
      announce(ids);
      for (const id of ids) {
        changedElsewhere.notify(id);
        imported.notify(id);
      }
    },

    /** Returns null if this device does not have the conversation or the user has deleted it. Never rejects. */
    async open(id: string): Promise<Transcript | null> {
      await loaded;
      const stored = isKnown(id) ? await readTurnRows(id).catch(() => []) : [];
      return isKnown(id) ? transcriptOf(id, stored) : null;
    },

    /** Starts a new conversation. It is listed once it has a question or a draft. */
    create: (id: string): Transcript => transcriptOf(id, []),

    release(id: string): void {
      released.add(id);
      closeIfWritten(id);
    },

    async purgeAll(): Promise<void> {
      const ids = new Set([...rows.keys(), ...open.keys()]);
      unwritten.clear();
      await (await usableDatabase())?.clear();
      for (const id of ids) {
        drafts.remove(id);
        rows.delete(id);
        open.get(id)?.replace([], () => false);
      }
      updateEntries();
      if (database) lastWrite = 'working';
      updatePersistence();
      announce(ids);
    },

    /** Starts the write of pending changes before it returns, because the page may be closed next. */
    persist(): void {
      if (database && !unwritten.isEmpty()) void write();
    },

    /** Reads the list and the open conversations again: another tab may have changed them while this page was in the back/forward cache. */
    reload,

    /** Clears memory and stops writing, after the user has signed out. */
    close(): void {
      isClosed = true;
      retrySoon.cancel();
      unwritten.clear();
      drafts.close();
      open.clear();
      rows.clear();
      update({ entries: [] });
      opened.then((ready) => ready?.close());
    },

    connect(): () => void {
      channel = openChannel();
      channel.listen(receive);
      // Messages sent before the connection were missed.
      announcedCount += 1;
      if (getState().isLoaded) void reload();
      return () => {
        channel.close();
        channel = noChannel;
      };
    },
  };
}

function entryOf(row: ConversationRow, known?: ConversationEntry): ConversationEntry {
  const { id, title, name, lastActiveAt, shownId } = row;
  const isDraft = shownId === null;
  const isSame = known?.title === title && known.name === name && known.lastActiveAt === lastActiveAt;
  return isSame && known.isDraft === isDraft ? known : { id, title, name, lastActiveAt, isDraft };
}
