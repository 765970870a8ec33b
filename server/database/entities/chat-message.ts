import { defineEntity, p } from '@mikro-orm/core';
import { StorableText } from '../storable.ts';
import { tenantFilter } from '../tenant.ts';

/** One side of a turn. The token counts, stop reason, model and prompt version are an assistant message's. */
export const ChatMessage = defineEntity({
  name: 'ChatMessage',
  tableName: 'chat_messages',
  rowLevelSecurity: 'force',
  filters: tenantFilter('orgId'),
  indexes: [{ properties: ['conversationId', 'position'] }, { properties: ['requestId'], type: 'hash' }],
  properties: {
    id: p.text().primary(),
    /** The order of writing: clocks of several instances, or two rows in a millisecond, do not decide it. */
    position: p.bigint('number').autoincrement(),
    orgId: p.text(),
    userId: p.text(),
    conversationId: p.text(),
    role: p.enum(['USER', 'ASSISTANT']),
    content: p.type(StorableText),
    requestId: p.type(StorableText),
    inputTokens: p.integer().nullable(),
    outputTokens: p.integer().nullable(),
    cacheReadTokens: p.integer().nullable(),
    cacheCreateTokens: p.integer().nullable(),
    stopReason: p.type(StorableText).nullable(),
    model: p.type(StorableText).nullable(),
    promptVersion: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
