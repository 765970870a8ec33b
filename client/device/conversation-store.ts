import { isObject } from '../../shared/is-object.ts';
import { type Clock, createPaced } from '../chat/clock.ts';
import { type Draft, emptyDraft, isEmptyDraft } from '../chat/draft.ts';
import { createListeners, createStore } from '../chat/store.ts';
import type { Transcript } from '../chat/transcript.ts';
import { type ConversationDatabase, isNoRoom, noChanges, type TurnBatch } from './conversation-database.ts';
import {
  type ConversationEntry,
  type ConversationRow,
  isConversationId,
  type TurnKey,
  type TurnRow,
  titleOf,
} from './conversation-records.ts';
import { createStayRequest, type DeviceRoom, type DeviceStorage } from './device-storage.ts';
import { createKeptDrafts, createKeptTranscript, type KeptTranscript } from './kept-transcript.ts';
import { noChannel, type TabChannel } from './tab-channel.ts';
import { createUnwrittenRecords } from './unwritten-records.ts';

export type ConversationStoreParts = {
  /** Resolves with the database of the person, or with null where the browser denies one. Never rejects. */
  database: Promise<ConversationDatabase | null>;
  /** Writes at once: keeps the drafts. */
  storage: DeviceStorage;
  /** Begins the keys in `storage`. */
  prefix: string;
  clock: Clock;
  openChannel: () => TabChannel;
  room: DeviceRoom;
};

export type StoreState = {
  /** Without those that the person has deleted, the latest first. An entry that has not changed is the same object. */
  entries: readonly ConversationEntry[];
  /** False until the device has been read for the first time. */
  isLoaded: boolean;
  /** `full` while the device has no room for what was said last. It is kept in memory and written once there is room. */
  room: 'enough' | 'full';
  /** False where the browser denies a database: everything is forgotten when the page is left. */
  isLasting: boolean;
};

export type ConversationStore = ReturnType<typeof createConversationStore>;

const retryMilliseconds = 5_000;

/**
 * The conversations of one person as this page knows them. Memory is the truth; the database is written behind it. A tab tells
 * the others which conversations it has written, and they read them again. Turns are in memory while a conversation is open.
 */
export function createConversationStore(parts: ConversationStoreParts) {
  const { storage, prefix, clock, openChannel, room } = parts;
  const { getState, subscribe, update } = createStore<StoreState>({
    entries: [],
    isLoaded: false,
    room: 'enough',
    isLasting: true,
  });
  const rows = new Map<string, ConversationRow>();
  const open = new Map<string, KeptTranscript>();
  const drafts = createKeptDrafts(storage, prefix);
  const unwritten = createUnwrittenRecords({
    row: (id) => rows.get(id),
    turn: (id, turnId) => open.get(id)?.turn(turnId),
  });
  /** Conversations whose question is not written yet: what is kept of it as a draft has to stay until it is. */
  const keepingDraft = new Set<string>();
  /** Open conversations that the page does not need any more, once they are written. */
  const released = new Set<string>();
  const changedElsewhere = createListeners<[id: string]>();
  const signedOut = createListeners<[]>();
  const askToStay = createStayRequest(room);
  const retrySoon = createPaced(clock, retryMilliseconds, flush);
  let database: ConversationDatabase | null | undefined;
  let channel = noChannel;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  function updateEntries(): void {
    const known = new Map(getState().entries.map((entry) => [entry.id, entry]));
    const shown = [...rows.values()].filter(({ removedAt }) => removedAt === undefined);
    const entries = shown
      .sort((one, other) => other.lastActiveAt - one.lastActiveAt)
      .map((row) => entryOf(row, known.get(row.id)));
    const { entries: before } = getState();
    if (entries.length !== before.length || entries.some((entry, index) => entry !== before[index]))
      update({ entries });
  }

  /** Notes what has changed in memory, and writes it. */
  function note(id: string, turnIds: readonly string[], row?: ConversationRow): void {
    if (isClosed) return;
    for (const turnId of turnIds) unwritten.addTurn(id, turnId);
    if (row) {
      rows.set(id, row);
      unwritten.addRow(id);
      updateEntries();
    }
    // There is something worth keeping.
    if (turnIds.some((turnId) => (open.get(id)?.turn(turnId)?.turn.ending ?? null) !== null)) askToStay();
    flush();
  }

  /** Removes a conversation for good. */
  function purge(id: string): void {
    if (isClosed) return;
    rows.delete(id);
    open.get(id)?.replace([], () => false);
    unwritten.addRemoval(id);
    keepingDraft.delete(id);
    drafts.remove(id);
    updateEntries();
    flush();
  }

  /** Resolves when everything is written, or cannot be written now. Never rejects. */
  function flush(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  async function writeAll(): Promise<void> {
    if (database === undefined) await opened;
    while (!unwritten.isEmpty() && !isClosed) if (!(await write())) return;
  }

  /** Writes everything. Returns whether that has succeeded. */
  async function write(): Promise<boolean> {
    retrySoon.cancel();
    const { changes, onWritten } = unwritten.take();
    try {
      await database?.write(changes);
    } catch (error) {
      if (isNoRoom(error) && getState().room === 'enough') update({ room: 'full' });
      if (!isClosed) retrySoon.schedule();
      return false;
    }
    const ids = onWritten();
    if (isClosed) return true;
    if (getState().room === 'full') update({ room: 'enough' });
    tell(ids);
    for (const id of keepingDraft) saveDraft(id, emptyDraft);
    for (const id of released) dropIfWritten(id);
    return true;
  }

  function dropIfWritten(id: string): void {
    // Without a database it is nowhere but here.
    if (database === null || unwritten.hasAnyOf(id)) return;
    released.delete(id);
    open.delete(id);
  }

  function saveDraft(id: string, latest: Draft): void {
    // A question whose page is lost before it is written is still there as a draft.
    if (isEmptyDraft(latest) && database && unwritten.hasAnyOf(id)) keepingDraft.add(id);
    else {
      keepingDraft.delete(id);
      drafts.save(id, latest);
    }
  }

  /** Tells the other tabs which conversations have changed. */
  function tell(ids: Iterable<string>): void {
    channel.post({ type: 'changed', ids: [...ids] });
  }

  function hear(message: unknown): void {
    // Another tab may run another release.
    if (!isObject(message)) return;
    if (message.type === 'forgotten') signedOut.tell();
    if (message.type === 'changed' && Array.isArray(message.ids)) readAgain(message.ids.filter(isConversationId));
  }

  /** Takes in how the database has these conversations now. Never rejects. */
  async function readAgain(ids: readonly string[]): Promise<void> {
    const database = await opened;
    for (const id of ids) {
      try {
        const reading = [database?.readConversation(id), open.has(id) ? database?.readTurns(id) : []] as const;
        const [row, turns = []] = await Promise.all(reading);
        if (!isClosed && database) replace(id, row, turns);
      } catch {
        // The database is out of order: everything stays as it was.
      }
    }
  }

  function replace(id: string, row: ConversationRow | undefined, turns: readonly TurnRow[]): void {
    const known = rows.get(id);
    if (!unwritten.hasRow(id)) {
      if (row) rows.set(id, row);
      else rows.delete(id);
    }
    const isOther = open.get(id)?.replace(turns, (turnId) => unwritten.hasTurn(id, turnId)) ?? false;
    updateEntries();
    if (isOther || JSON.stringify(known) !== JSON.stringify(rows.get(id))) changedElsewhere.tell(id);
  }

  /** Reads everything anew that is in memory. */
  async function takeIn(): Promise<void> {
    await readAgain([...open.keys()]);
    await readRows();
  }

  /** Reads all conversations, without their turns. */
  async function readRows(): Promise<void> {
    const read = await database?.readConversations().catch(() => undefined);
    if (isClosed) return;
    if (read) {
      for (const id of rows.keys()) if (!unwritten.hasRow(id)) rows.delete(id);
      for (const row of read) if (!unwritten.hasRow(row.id)) rows.set(row.id, row);
    }
    for (const id of drafts.ids()) {
      const title = titleOf(drafts.load(id).text);
      const isLost = title !== '' && isConversationId(id) && !rows.has(id) && !unwritten.hasRow(id);
      if (isLost) rows.set(id, { id, title, lastActiveAt: clock.now(), shownId: null });
    }
    updateEntries();
  }

  /** The turns of a conversation in order of creation: as memory has them, or else the database. Never rejects. */
  async function readTurnRows(id: string): Promise<TurnRow[]> {
    const read = open.has(id) ? [] : await (await opened)?.readTurns(id).catch(() => []);
    return open.get(id)?.rows() ?? read ?? [];
  }

  function transcriptOf(id: string, kept: readonly TurnRow[]): Transcript {
    released.delete(id);
    const known = open.get(id);
    if (known) return known.transcript;
    const created = createKeptTranscript({
      id,
      kept,
      now: clock.now,
      getRow: () => rows.get(id),
      loadDraft: () => (keepingDraft.has(id) ? emptyDraft : drafts.load(id)),
      saveDraft: (latest) => saveDraft(id, latest),
      onChange: (turnIds, row) => note(id, turnIds, row),
      onEmpty: () => purge(id),
      refresh: () => readAgain([id]),
    });
    open.set(id, created);
    return created.transcript;
  }

  /** Whether the device has a conversation of this id that the person has not deleted. */
  function isKnown(id: string): boolean {
    const row = rows.get(id);
    return row !== undefined && row.removedAt === undefined;
  }

  const opened = parts.database.then((ready) => {
    database = ready;
    update({ isLasting: ready !== null });
    return ready;
  });
  const loaded = opened.then(readRows).then(() => update({ isLoaded: true }));

  return {
    getState,
    subscribe,
    /** Resolves when the device has been read for the first time. Never rejects. */
    loaded,
    drafts,
    purge,
    isKnown,
    /** Calls `listener` with the id of a conversation that another tab has changed, once its transcript has that. */
    onChangeElsewhere: changedElsewhere.add,
    /** Calls `listener` when the person has signed out in another tab. */
    onForgotten: signedOut.add,
    readTurnRows,

    /** All rows, removed conversations included until they are purged. */
    rows: (): readonly ConversationRow[] => [...rows.values()],
    row: (id: string): ConversationRow | undefined => rows.get(id),
    change: (row: ConversationRow) => note(row.id, [], row),

    /** The turns of all open conversations, by the conversation's id. */
    openTurns: (): ReadonlyMap<string, readonly TurnRow[]> => new Map([...open].map(([id, kept]) => [id, kept.rows()])),
    /** Those that are written: at most `count` turns after the one with the key `after`. */
    readTurnsAfter: async (after: TurnKey | undefined, count: number): Promise<TurnBatch> =>
      (await (await opened)?.readTurnsAfter(after, count)) ?? { rows: [], last: undefined },

    /** Adds what the device lacks of a conversation. Rejects where there is no room. `tellAdded` shows it. */
    async add(row: ConversationRow, lacking: readonly TurnRow[]): Promise<void> {
      await (await opened)?.write({ ...noChanges, conversations: [row], turns: lacking });
      if (database === null) transcriptOf(row.id, []);
      rows.set(row.id, row);
      const inMemory = open.get(row.id);
      inMemory?.replace([...inMemory.rows(), ...lacking], () => false);
    },

    tellAdded(ids: readonly string[]): void {
      updateEntries();
      tell(ids);
      for (const id of ids) changedElsewhere.tell(id);
    },

    /** Reads a conversation. Null where the device has none of this id, or the person has deleted it. Never rejects. */
    async open(id: string): Promise<Transcript | null> {
      await loaded;
      return isKnown(id) ? transcriptOf(id, await readTurnRows(id)) : null;
    },

    /** A new conversation. It is in the list for as long as there is anything in it. */
    begin: (id: string): Transcript => transcriptOf(id, []),

    /** The conversation is no longer open on this page. */
    release(id: string): void {
      released.add(id);
      dropIfWritten(id);
    },

    /** Removes everything for good, and everything that is typed. */
    async purgeAll(): Promise<void> {
      const ids = new Set([...rows.keys(), ...open.keys()]);
      unwritten.clear();
      await (await opened)?.clear();
      for (const id of ids) {
        drafts.remove(id);
        keepingDraft.delete(id);
        rows.delete(id);
        open.get(id)?.replace([], () => false);
      }
      updateEntries();
      update({ room: 'enough' });
      tell(ids);
    },

    /** Hands over at once what is not written yet: the page can be left the next moment. */
    keep(): void {
      if (database && !unwritten.isEmpty()) void write();
    },

    /** Reads the device anew: the page was away while another tab may have changed it. */
    takeIn,

    /** Forgets what is on the page and writes nothing more: the person has signed out. */
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

    /** Hears what other tabs do, and tells them what this one does, until the returned function is called. */
    connect(): () => void {
      channel = openChannel();
      const stopListening = channel.listen(hear);
      // It has heard nothing until now.
      if (getState().isLoaded) void takeIn();
      return () => {
        stopListening();
        channel.close();
        channel = noChannel;
      };
    },
  };
}

function entryOf({ id, title, name, lastActiveAt }: ConversationRow, known?: ConversationEntry): ConversationEntry {
  const isSame = known?.title === title && known.name === name && known.lastActiveAt === lastActiveAt;
  return isSame ? known : { id, title, name, lastActiveAt };
}
