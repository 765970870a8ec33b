import type { ConversationStore, DamagedText, TurnKey, TurnRow } from './conversation-store.ts';
import { isLaterConversation, isMoreCompleteTurn } from './more-complete.ts';

/** Keeps conversations for as long as the page is open. It stands in where the browser denies a store that lasts. */
export function createMemoryStore(): ConversationStore {
  const conversations = new Map<string, unknown>();
  /** By conversation, then by turn. */
  const turns = new Map<string, Map<string, unknown>>();
  const damaged: DamagedText[] = [];

  function put(row: TurnRow): void {
    const ofConversation = turns.get(row.conversation) ?? new Map<string, unknown>();
    ofConversation.set(row.id, row);
    turns.set(row.conversation, ofConversation);
  }

  function* inOrder(): Generator<{ key: TurnKey; value: unknown }> {
    for (const conversation of [...turns.keys()].sort()) {
      const ofConversation = [...(turns.get(conversation) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
      for (const [id, value] of ofConversation) yield { key: [conversation, id], value };
    }
  }

  return {
    isLasting: false,
    readConversations: async () => [...conversations].map(([key, value]) => ({ key, value })),

    async readTurns(conversation) {
      const ofConversation = [...(turns.get(conversation) ?? [])];
      return ofConversation.map(([id, value]) => ({ key: [conversation, id], value }));
    },

    async readTurnsAfter(after, count) {
      const rest = [...inOrder()].filter(({ key }) => after === undefined || isAfter(key, after));
      return rest.slice(0, count);
    },

    async write(changes) {
      for (const id of changes.removedConversations) {
        conversations.delete(id);
        turns.delete(id);
      }
      for (const [conversation, id] of changes.removedTurns) turns.get(conversation)?.delete(id);
      for (const row of changes.conversations) conversations.set(row.id, row);
      for (const row of changes.turns) put(row);
    },

    async fold(changes, texts = []) {
      for (const row of changes.conversations) {
        if (isLaterConversation(conversations.get(row.id), row)) conversations.set(row.id, row);
      }
      for (const row of changes.turns) {
        if (isMoreCompleteTurn(turns.get(row.conversation)?.get(row.id), row)) put(row);
      }
      damaged.push(...texts);
    },

    readDamaged: async () => [...damaged],

    async clear() {
      conversations.clear();
      turns.clear();
      damaged.length = 0;
    },

    close() {},
  };
}

function isAfter([conversation, turn]: TurnKey, [otherConversation, otherTurn]: TurnKey): boolean {
  return conversation === otherConversation ? turn > otherTurn : conversation > otherConversation;
}
