import type { ConversationEntry } from './conversation-entry.ts';
import type { ConversationRow, StoreChanges } from './conversation-store.ts';

/** The conversations of one person as this page knows them, without their turns. */
export function createConversationRows() {
  const rows = new Map<string, ConversationRow>();

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

    /** Without those that the person has deleted, the latest first. */
    entries(): ConversationEntry[] {
      const shown = [...rows.values()].filter(({ removedAt }) => removedAt === undefined);
      const latestFirst = shown.sort((one, other) => other.lastActiveAt - one.lastActiveAt);
      return latestFirst.map(({ id, title, name, lastActiveAt }) => ({ id, title, name, lastActiveAt }));
    },
  };
}

export type ConversationRows = ReturnType<typeof createConversationRows>;
