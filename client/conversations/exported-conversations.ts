import type { Turn } from '../chat/turn.ts';

/** One conversation in an exported file. Moments are milliseconds since the epoch. */
export type ExportedConversation = {
  id: string;
  title: string;
  name?: string | undefined;
  lastActiveAt: number;
  /** The service's id of the conversation, if it has one. */
  conversationId?: string | undefined;
  /** The last turn of the path that was shown; null where nothing was asked. */
  shownId: string | null;
  /** What was typed and not sent. */
  draft?: string | undefined;
  /** All turns in order of creation: each follows the one that its `parentId` names. */
  turns: readonly Turn[];
};

/** A file of conversations, as `docs/exported-conversations.schema.json` describes it. */
export type ExportedConversations = {
  format: 'advisory-chat-conversations';
  version: 1;
  exportedAt: number;
  conversations: readonly ExportedConversation[];
};
