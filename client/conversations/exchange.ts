import type { Clock } from '../chat/clock.ts';
import { unsent } from '../chat/typed.ts';
import type { ConversationEntry } from '../device/conversation-entry.ts';
import type { ConversationRows } from '../device/conversation-rows.ts';
import type { ConversationStore, StoreChanges } from '../device/conversation-store.ts';
import { createKeptTurns } from '../device/kept-turns.ts';
import type { KeptTyped } from '../device/kept-typed.ts';
import { readTurns } from '../device/read-conversations.ts';
import type { Imported } from './conversations.ts';
import type { ExportedConversation, ExportedConversations } from './exported-conversations.ts';
import { importConversations } from './import-conversations.ts';

type ExchangeParts = {
  store: ConversationStore;
  rows: ConversationRows;
  typed: KeptTyped;
  clock: Clock;
  /** What the store does not have yet: where the device is full it may be much. */
  unwritten: () => readonly StoreChanges[];
};

/** How conversations leave the device as a file, and how they come to it. */
export function createExchange({ store, rows, typed, clock, unwritten }: ExchangeParts) {
  async function exported({ id, title, name, lastActiveAt }: ConversationEntry): Promise<ExportedConversation> {
    const kept = createKeptTurns(id, await readTurns(store, id));
    for (const changes of unwritten()) kept.takeIn(changes);
    const turns = kept.turns();
    const { conversationId, shownId = null } = rows.get(id) ?? {};
    const draft = unsent(turns, typed.load(id));
    return {
      id,
      title,
      ...(name && { name }),
      lastActiveAt,
      ...(conversationId && { conversationId }),
      shownId,
      ...(draft && { draft }),
      turns,
    };
  }

  return {
    async exportThese(entries: readonly ConversationEntry[]): Promise<ExportedConversations> {
      const conversations: ExportedConversation[] = [];
      for (const entry of entries) conversations.push(await exported(entry));
      return { format: 'advisory-chat-conversations', version: 1, exportedAt: clock.now(), conversations };
    },

    async exportDamaged(): Promise<string> {
      const damaged = await store.readDamaged();
      return damaged.map(({ from, text }) => `${from}\n${text}\n`).join('\n');
    },

    importFile: async (text: string): Promise<Imported> => importConversations(store, rows, typed, text),
  };
}
