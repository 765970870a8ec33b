import { pathTo } from '../chat/conversation-tree.ts';
import type { Transcript, TranscriptRecord } from '../chat/transcript.ts';
import type { Turn } from '../chat/turn.ts';
import { type ConversationRow, isSameRecord, sortRows, type TurnRow } from './conversation-records.ts';
import { titleOf, titleOfDraft } from './conversation-title.ts';
import type { Drafts } from './drafts.ts';

type StoredTranscriptDependencies = {
  id: string;
  storedRows: readonly TurnRow[];
  now: () => number;
  getRow: () => ConversationRow | undefined;
  drafts: Pick<Drafts, 'load' | 'save'>;
  /** Called after a change of the turns or the row, with the ids of changed and deleted turns, and with the row if it has changed. */
  onChange: (turnIds: readonly string[], row: ConversationRow | undefined) => void;
  /** Called when the last text of the conversation is deleted. */
  onEmpty: () => void;
  /** Rereads the conversation from the database, to include the writes of other tabs. */
  refresh: () => Promise<void>;
};

export type StoredTranscript = ReturnType<typeof createStoredTranscript>;

/** Holds one conversation in memory: as it is stored, or as it will be once all changes are written. */
export function createStoredTranscript(dependencies: StoredTranscriptDependencies) {
  const { id, storedRows, now, getRow, drafts, onChange, onEmpty, refresh } = dependencies;
  let rows = new Map(storedRows.map((row) => [row.id, row]));
  /** The turns that the page knows of. Other tabs may have added more to `rows` since. */
  let knownIds: ReadonlySet<string> = new Set();

  /** Returns the ids of changed and deleted turns. An ended reply is activity too; a growing one would reorder the list. */
  function mergeTurns(turns: readonly Turn[]) {
    const ids = new Set(turns.map((turn) => turn.id));
    const removed = [...knownIds].filter((id) => !ids.has(id));
    for (const id of removed) rows.delete(id);
    knownIds = ids;
    let last = -1;
    for (const { order } of rows.values()) last = Math.max(last, order);
    const changed = turns.filter((turn) => rows.get(turn.id)?.turn !== turn);
    const isActivity = changed.some((turn) => !hasSameProgress(rows.get(turn.id)?.turn, turn));
    const isAsked = changed.some((turn) => !rows.has(turn.id));
    for (const turn of changed) {
      const order = rows.get(turn.id)?.order ?? ++last;
      rows.set(turn.id, { conversation: id, id: turn.id, order, turn });
    }
    return { changedIds: [...removed, ...changed.map((turn) => turn.id)], isActivity, isAsked };
  }

  const transcript: Transcript = {
    load() {
      const { conversationId, shownId = null, earlierShownIds = [] } = getRow() ?? {};
      knownIds = new Set(rows.keys());
      return { conversationId, turns: turnsOf(rows.values()), shownId, earlierShownIds, draft: drafts.load(id) };
    },

    saveTurns(record) {
      const { changedIds, isActivity, isAsked } = mergeTurns(record.turns);
      const row = getRow();
      if (row === undefined && rows.size === 0) return;
      const { title, lastActiveAt } = row ?? { title: '', lastActiveAt: now() };
      const next: ConversationRow = {
        ...row,
        id,
        title: changedTitle(record, changedIds) ?? title,
        lastActiveAt: isActivity ? now() : lastActiveAt,
        conversationId: record.conversationId,
        shownId: record.shownId,
        earlierShownIds: record.earlierShownIds,
        // A reply that ends after another tab has deleted the conversation does not restore it.
        removedAt: isAsked ? undefined : row?.removedAt,
      };
      const isChanged = row === undefined || !isSameRecord(row, next);
      if (isChanged || changedIds.length > 0) onChange(changedIds, isChanged ? next : undefined);
    },

    saveDraft(draft) {
      drafts.save(id, draft);
      if (rows.size > 0) return;
      const row = getRow();
      const title = titleOfDraft(draft);
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
    rows: (): TurnRow[] => sortRows(rows.values()),

    /**
     * Replaces all turns with those in `read`, except those for which `isUnwritten` is true. Unchanged turns stay the same objects.
     * Returns whether anything changed.
     */
    replace(read: readonly TurnRow[], isUnwritten: (turnId: string) => boolean): boolean {
      const before = rows;
      rows = new Map();
      let isChanged = false;
      for (const row of read) {
        if (isUnwritten(row.id)) continue;
        const known = before.get(row.id);
        const isSame = known !== undefined && known.order === row.order && isSameRecord(known.turn, row.turn);
        rows.set(row.id, isSame ? known : row);
        isChanged ||= !isSame;
      }
      for (const [turnId, row] of before) if (isUnwritten(turnId)) rows.set(turnId, row);
      return isChanged || rows.size !== before.size;
    },
  };
}

export function turnsOf(rows: Iterable<TurnRow>): Turn[] {
  return withKnownParents(sortRows(rows).map(({ turn }) => turn));
}

/**
 * Some turns can be missing. A turn whose parent does not come before it follows the previous turn. Of two with the same id, the
 * earlier stays.
 */
export function withKnownParents(stored: Iterable<Turn>): Turn[] {
  const turns = new Map<string, Turn>();
  let previousId: string | null = null;
  for (const turn of stored) {
    const { id, parentId } = turn;
    if (turns.has(id)) continue;
    turns.set(id, parentId === null || turns.has(parentId) ? turn : { ...turn, parentId: previousId });
    previousId = id;
  }
  return [...turns.values()];
}

function hasSameProgress(stored: Turn | undefined, turn: Turn): boolean {
  return stored !== undefined && (stored.ending === null) === (turn.ending === null);
}

/** Returns the title from the first shown question if its turn has changed; otherwise undefined, and the title stays. */
function changedTitle(record: TranscriptRecord, changedIds: readonly string[]): string | undefined {
  const [first] = pathTo(record, record.shownId);
  return first && changedIds.includes(first.id) ? titleOf(first.question) : undefined;
}
