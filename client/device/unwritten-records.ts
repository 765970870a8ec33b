import type { Changes } from './conversation-database.ts';
import type { ConversationRow, TurnKey, TurnRow } from './conversation-records.ts';

/** Reads from memory; undefined if the record is not in memory or was deleted. */
type RecordLookup = {
  row(id: string): ConversationRow | undefined;
  turn(id: string, turnId: string): TurnRow | undefined;
};

/**
 * Keeps only the ids of changed records. A write reads the values from memory, so only the latest version of a growing reply is
 * written.
 */
export function createUnwrittenRecords(memory: RecordLookup) {
  /** A record that changes during a write gets a new object, so that `markWritten` does not drop it. */
  const records = new Map<string, { id: string; turnId?: string }>();
  const removals = new Map<string, object>();

  const keyOf = (id: string, turnId: string) => `${id}/${turnId}`;

  function changes(): Changes {
    const conversations: ConversationRow[] = [];
    const turns: TurnRow[] = [];
    const removedTurns: TurnKey[] = [];
    for (const { id, turnId } of records.values()) {
      if (turnId === undefined) {
        const row = memory.row(id);
        if (row) conversations.push(row);
        continue;
      }
      const turn = memory.turn(id, turnId);
      if (turn) turns.push(turn);
      else removedTurns.push([id, turnId]);
    }
    return { removedConversations: [...removals.keys()], removedTurns, conversations, turns };
  }

  return {
    addRow: (id: string) => void records.set(id, { id }),
    addTurn: (id: string, turnId: string) => void records.set(keyOf(id, turnId), { id, turnId }),

    addRemoval: (id: string) => void removals.set(id, {}),

    hasRow: (id: string): boolean => records.has(id) || removals.has(id),
    hasTurn: (id: string, turnId: string): boolean => records.has(keyOf(id, turnId)),
    hasAnyOf: (id: string): boolean => [...records.values()].some((record) => record.id === id),
    isEmpty: () => records.size + removals.size === 0,

    /**
     * `markWritten` drops the records that have not changed since. It returns the ids of all conversations that were written or
     * removed.
     */
    take(): { changes: Changes; markWritten: () => ReadonlySet<string> } {
      const [writtenRecords, writtenRemovals] = [[...records], [...removals]];
      return {
        changes: changes(),
        markWritten() {
          for (const [key, record] of writtenRecords) if (records.get(key) === record) records.delete(key);
          for (const [id, removal] of writtenRemovals) if (removals.get(id) === removal) removals.delete(id);
          return new Set([...writtenRecords.map(([, { id }]) => id), ...writtenRemovals.map(([id]) => id)]);
        },
      };
    },

    clear(): void {
      records.clear();
      removals.clear();
    },
  };
}
