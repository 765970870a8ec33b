import type { ConversationRow, StoreChanges, TurnRow } from './conversation-store.ts';

/** Changes that wait to be written: of each record the latest alone. */
export function createPendingChanges() {
  const removedConversations = new Set<string>();
  const conversations = new Map<string, ConversationRow>();
  /** By conversation, then by turn; null where it is removed. */
  const turns = new Map<string, Map<string, TurnRow | null>>();

  function setTurn(conversation: string, id: string, row: TurnRow | null): void {
    const ofConversation = turns.get(conversation) ?? new Map<string, TurnRow | null>();
    ofConversation.set(id, row);
    turns.set(conversation, ofConversation);
  }

  return {
    add(changes: StoreChanges): void {
      for (const id of changes.removedConversations) {
        removedConversations.add(id);
        conversations.delete(id);
        turns.delete(id);
      }
      for (const [conversation, id] of changes.removedTurns) setTurn(conversation, id, null);
      for (const row of changes.conversations) conversations.set(row.id, row);
      for (const row of changes.turns) setTurn(row.conversation, row.id, row);
    },

    isEmpty: () => removedConversations.size + conversations.size + turns.size === 0,

    /** All of it, as it is now. */
    read(): StoreChanges {
      const rows = [...turns].flatMap(([conversation, ofConversation]) =>
        [...ofConversation].map(([id, row]) => ({ conversation, id, row })),
      );
      return {
        removedConversations: [...removedConversations],
        removedTurns: rows.filter(({ row }) => row === null).map(({ conversation, id }) => [conversation, id]),
        conversations: [...conversations.values()],
        turns: rows.map(({ row }) => row).filter((row) => row !== null),
      };
    },

    clear(): void {
      removedConversations.clear();
      conversations.clear();
      turns.clear();
    },
  };
}
