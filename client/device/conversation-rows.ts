import type { ConversationEntry } from './conversation-entry.ts';
import type { ConversationRow, StoreChanges } from './conversation-store.ts';

/** The conversations of one person as this page knows them, without their turns. */
export function createConversationRows() {
  const rows = new Map<string, ConversationRow>();
  let latest: readonly ConversationEntry[] = [];

  return {
    get: (id: string): ConversationRow | undefined => rows.get(id),
    all: (): ConversationRow[] => [...rows.values()],

    /** Replaces everything by `kept`. */
    reset(kept: readonly ConversationRow[]): void {
      rows.clear();
      for (const row of kept) rows.set(row.id, row);
    },

    takeIn(changes: StoreChanges): void {
      for (const id of changes.removedConversations) rows.delete(id);
      for (const row of changes.conversations) rows.set(row.id, row);
    },

    /**
     * Without those that the person has deleted, the latest first. An entry that has not changed is the same object, and so is
     * the whole: of thousands only what changed is drawn anew.
     */
    entries(): readonly ConversationEntry[] {
      const known = new Map(latest.map((entry) => [entry.id, entry]));
      const shown = [...rows.values()].filter(({ removedAt }) => removedAt === undefined);
      const entries = shown
        .sort((one, other) => other.lastActiveAt - one.lastActiveAt)
        .map((row) => entryOf(row, known.get(row.id)));
      const isSame = entries.length === latest.length && entries.every((entry, index) => entry === latest[index]);
      if (!isSame) latest = entries;
      return latest;
    },
  };
}

export type ConversationRows = ReturnType<typeof createConversationRows>;

function entryOf({ id, title, name, lastActiveAt }: ConversationRow, known?: ConversationEntry): ConversationEntry {
  const isSame = known?.title === title && known.name === name && known.lastActiveAt === lastActiveAt;
  return isSame ? known : { id, title, name, lastActiveAt };
}
