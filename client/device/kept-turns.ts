import type { Turn } from '../chat/turn.ts';
import type { StoreChanges, TurnKey, TurnRow } from './conversation-store.ts';

/** What has changed of a conversation's turns. */
export type TurnChanges = {
  turns: readonly TurnRow[];
  removedTurns: readonly TurnKey[];
  /** Whether something was asked or answered: a reply that grows is neither. */
  isActivity: boolean;
};

/** The turns of one conversation as the store has them, or will have them once everything is written. */
export function createKeptTurns(conversation: string, kept: readonly TurnRow[]) {
  const rows = new Map(kept.map((row) => [row.id, row]));
  /** The turns that the conversation has been given or has told of. Others have come since, from elsewhere. */
  let told: ReadonlySet<string> = new Set();

  return {
    /** In order of creation. A turn whose parent is lost follows the turn before it. */
    turns(): Turn[] {
      told = new Set(rows.keys());
      return withParents(inOrder(rows.values()));
    },

    /** Takes over these turns, and gives what is to be written for it. */
    change(turns: readonly Turn[]): TurnChanges {
      const ids = new Set(turns.map(({ id }) => id));
      const removed = [...told].filter((id) => !ids.has(id));
      for (const id of removed) rows.delete(id);
      told = ids;
      let last = -1;
      for (const { order } of rows.values()) last = Math.max(last, order);
      const changed = turns.filter((turn) => rows.get(turn.id)?.turn !== turn);
      const isActivity = changed.some((turn) => !isAsFar(rows.get(turn.id)?.turn, turn));
      const changedRows = changed.map((turn): TurnRow => {
        const order = rows.get(turn.id)?.order ?? ++last;
        return { conversation, id: turn.id, order, turn };
      });
      for (const row of changedRows) rows.set(row.id, row);
      return { turns: changedRows, removedTurns: removed.map((id) => [conversation, id]), isActivity };
    },

    /** Everything was read anew. */
    replace(kept: readonly TurnRow[]): void {
      rows.clear();
      for (const row of kept) rows.set(row.id, row);
    },

    /** Takes in what another tab has changed. */
    takeIn(changes: StoreChanges): void {
      if (changes.removedConversations.includes(conversation)) rows.clear();
      for (const [of, id] of changes.removedTurns) if (of === conversation) rows.delete(id);
      for (const row of changes.turns) if (row.conversation === conversation) rows.set(row.id, row);
    },
  };
}

export type KeptTurns = ReturnType<typeof createKeptTurns>;

/** The rows in order of creation. */
export function inOrder(rows: Iterable<TurnRow>): TurnRow[] {
  return [...rows].sort((one, other) => one.order - other.order);
}

/** The turns of these rows, in their order, each after its parent. */
function withParents(rows: readonly TurnRow[]): Turn[] {
  const ids = new Set<string>();
  let previousId: string | null = null;
  return rows.map(({ id, turn }) => {
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
