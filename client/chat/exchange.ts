import type { Clock } from './clock.ts';
import type { ConversationEntry } from './conversation-entry.ts';
import type { ConversationRows } from './conversation-rows.ts';
import type { ConversationStore } from './conversation-store.ts';
import type { Imported, Usage } from './conversations.ts';
import type { DeviceRoom } from './device-room.ts';
import type { ExportedConversation, ExportedConversations } from './exported-conversations.ts';
import { importConversations } from './import-conversations.ts';
import { withParents } from './kept-turns.ts';
import type { KeptTyped } from './kept-typed.ts';
import { readTurns } from './read-conversations.ts';

type ExchangeParts = {
  store: Promise<ConversationStore>;
  rows: ConversationRows;
  typed: KeptTyped;
  room: DeviceRoom;
  clock: Clock;
};

/** How conversations leave the device as a file and come to it, and what they take up there. */
export function createExchange({ store, rows, typed, room, clock }: ExchangeParts) {
  async function exported({ id, title, name, lastActiveAt }: ConversationEntry): Promise<ExportedConversation> {
    const turns = withParents(await readTurns(await store, id));
    const { conversationId, shownId = null } = rows.get(id) ?? {};
    const { draft } = typed.load(id);
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
      const damaged = await (await store).readDamaged();
      return damaged.map(({ from, text }) => `${from}\n${text}\n`).join('\n');
    },

    importFile: async (text: string): Promise<Imported> => importConversations(await store, rows, typed, text),

    async usage(): Promise<Usage> {
      const { usage, quota } = await room.estimate().catch(() => ({ usage: undefined, quota: undefined }));
      const isPersistent = await room.persisted().catch(() => false);
      return { conversations: rows.entries().length, usedBytes: usage, quotaBytes: quota, isPersistent };
    },
  };
}
