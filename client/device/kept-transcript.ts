import { pathTo } from '../chat/conversation-tree.ts';
import type { Draft } from '../chat/draft.ts';
import { keepDraft, loadDraft, type Transcript, type TranscriptRecord } from '../chat/transcript.ts';
import type { Ending, Turn } from '../chat/turn.ts';
import { type ConversationRow, inOrder, type TurnRow, titleOf } from './conversation-records.ts';
import { type DeviceStorage, keysBeginning } from './device-storage.ts';

type KeptTranscriptParts = {
  /** The id of the conversation on this device. */
  id: string;
  /** The turns as the device has them. */
  kept: readonly TurnRow[];
  now: () => number;
  /** What is known of the conversation besides its turns. */
  getRow: () => ConversationRow | undefined;
  loadDraft: () => Draft;
  saveDraft: (draft: Draft) => void;
  /** Told of every change: which turns are others or gone, and what the row is now, where that has changed. */
  onChange: (turnIds: readonly string[], row: ConversationRow | undefined) => void;
  /** The conversation has nothing in it any more. */
  onEmpty: () => void;
  /** Reads anew what another tab has kept. */
  refresh: () => Promise<void>;
};

export type KeptTranscript = ReturnType<typeof createKeptTranscript>;

/** One conversation in memory, as the device has it or will have it once everything is written. */
export function createKeptTranscript(parts: KeptTranscriptParts) {
  const { id, kept, now, getRow, loadDraft, saveDraft, onChange, onEmpty, refresh } = parts;
  let rows = new Map(kept.map((row) => [row.id, row]));
  /** The turns that the conversation has been given or has told of. Others have come since, from elsewhere. */
  let told: ReadonlySet<string> = new Set();

  /** Takes over these turns. Gives the ids of those that are others or gone, and whether something was asked or answered. */
  function take(turns: readonly Turn[]): { changedIds: string[]; isActivity: boolean } {
    const ids = new Set(turns.map((turn) => turn.id));
    const removed = [...told].filter((id) => !ids.has(id));
    for (const id of removed) rows.delete(id);
    told = ids;
    let last = -1;
    for (const { order } of rows.values()) last = Math.max(last, order);
    const changed = turns.filter((turn) => rows.get(turn.id)?.turn !== turn);
    // A reply that grows is neither.
    const isActivity = changed.some((turn) => !isAsFar(rows.get(turn.id)?.turn, turn));
    for (const turn of changed) {
      const order = rows.get(turn.id)?.order ?? ++last;
      rows.set(turn.id, { conversation: id, id: turn.id, order, turn });
    }
    return { changedIds: [...removed, ...changed.map((turn) => turn.id)], isActivity };
  }

  const transcript: Transcript = {
    load() {
      const { conversationId, shownId = null } = getRow() ?? {};
      told = new Set(rows.keys());
      return { conversationId, turns: turnsOf(rows.values()), shownId, draft: loadDraft() };
    },

    saveTurns(record) {
      const { changedIds, isActivity } = take(record.turns);
      const row = getRow();
      if (row === undefined && rows.size === 0) return;
      const { title, lastActiveAt } = row ?? { title: '', lastActiveAt: now() };
      const next: ConversationRow = {
        ...row,
        id,
        title: titleOfShown(record, changedIds) ?? title,
        lastActiveAt: isActivity ? now() : lastActiveAt,
        conversationId: record.conversationId,
        shownId: record.shownId,
        removedAt: undefined,
      };
      const isChanged = row === undefined || !isSameRow(row, next);
      if (isChanged || changedIds.length > 0) onChange(changedIds, isChanged ? next : undefined);
    },

    saveDraft(draft) {
      saveDraft(draft);
      if (rows.size > 0) return;
      const row = getRow();
      const title = titleOf(draft.text);
      if (title === '') {
        if (row) onEmpty();
      } else if (title !== row?.title) {
        onChange([], { ...row, id, title, lastActiveAt: now(), shownId: null, removedAt: undefined });
      }
    },

    refresh,
  };

  return {
    transcript,
    turn: (turnId: string): TurnRow | undefined => rows.get(turnId),
    rows: (): TurnRow[] => inOrder(rows.values()),

    /**
     * Takes in how the device has the conversation now; the turns of which `isUnwritten` says so are later than that. A turn
     * that is the same stays the same object. Returns whether anything has changed.
     */
    replace(read: readonly TurnRow[], isUnwritten: (turnId: string) => boolean): boolean {
      const before = rows;
      rows = new Map();
      let isChanged = false;
      for (const row of read) {
        if (isUnwritten(row.id)) continue;
        const known = before.get(row.id);
        const isSame = known !== undefined && known.order === row.order && isSameTurn(known.turn, row.turn);
        rows.set(row.id, isSame ? known : row);
        isChanged ||= !isSame;
      }
      for (const [turnId, row] of before) if (isUnwritten(turnId)) rows.set(turnId, row);
      return isChanged || rows.size !== before.size;
    },
  };
}

/** The turns of these rows in order of creation. A turn whose parent is lost follows the turn before it. */
export function turnsOf(rows: Iterable<TurnRow>): Turn[] {
  const ids = new Set<string>();
  let previousId: string | null = null;
  return inOrder(rows).map(({ id, turn }) => {
    const { parentId } = turn;
    const mended: Turn = parentId === null || ids.has(parentId) ? turn : { ...turn, parentId: previousId };
    ids.add(id);
    previousId = id;
    return mended;
  });
}

function isAsFar(kept: Turn | undefined, turn: Turn): boolean {
  return kept !== undefined && (kept.ending === null) === (turn.ending === null);
}

/** The title from the first question that is shown, where that is among the changed: else a name from before stands. */
function titleOfShown(record: TranscriptRecord, changedIds: readonly string[]): string | undefined {
  const [first] = pathTo(record, record.shownId);
  return first && changedIds.includes(first.id) ? titleOf(first.question) : undefined;
}

function isSameRow(one: ConversationRow, other: ConversationRow): boolean {
  return (
    one.title === other.title &&
    one.lastActiveAt === other.lastActiveAt &&
    one.conversationId === other.conversationId &&
    one.shownId === other.shownId &&
    one.removedAt === other.removedAt
  );
}

function isSameTurn(one: Turn, other: Turn): boolean {
  return (
    one.reply === other.reply &&
    one.question === other.question &&
    one.parentId === other.parentId &&
    one.requestId === other.requestId &&
    one.askedAt === other.askedAt &&
    isSameEnding(one.ending, other.ending)
  );
}

function isSameEnding(one: Ending | null, other: Ending | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const ending = ':typed';

/**
 * The drafts in the conversations of one person, in a storage that writes at once: it changes with every key.
 * Each tab has its own in mind; the storage has what was typed last.
 */
export function createKeptDrafts(storage: DeviceStorage, prefix: string) {
  const beginning = `${prefix}:conversation:`;
  const keyOf = (id: string) => `${beginning}${id}${ending}`;
  let isClosed = false;

  return {
    load: (id: string): Draft => loadDraft(storage, keyOf(id)),

    save(id: string, draft: Draft): void {
      if (!isClosed) keepDraft(storage, keyOf(id), draft);
    },

    remove: (id: string) => storage.removeItem(keyOf(id)),

    /** Keeps nothing more. */
    close(): void {
      isClosed = true;
    },

    /** The conversations in which something is typed. */
    ids(): string[] {
      const keys = keysBeginning(storage, beginning).filter((key) => key.endsWith(ending));
      return keys.map((key) => key.slice(beginning.length, -ending.length));
    },
  };
}
