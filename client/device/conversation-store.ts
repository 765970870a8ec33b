import type { Turn } from '../chat/turn.ts';
import type { ConversationEntry } from './conversation-entry.ts';

/** What is kept of a conversation besides its turns. */
export type ConversationRow = ConversationEntry & {
  /** The service's id of the conversation: unknown before the first live turn, and in the demo. */
  conversationId?: string | undefined;
  /** The last turn of the path that is shown; null where nothing was asked. */
  shownId: string | null;
  /** When the person deleted it, in milliseconds since the epoch. It is gone for good a little later. */
  removedAt?: number | undefined;
};

/** One turn of a conversation. A growing reply is one small record, however long the conversation is. */
export type TurnRow = {
  /** The id of the conversation on this device. */
  conversation: string;
  id: string;
  /** The place of the turn among those of its conversation, in order of creation. */
  order: number;
  turn: Turn;
};

/** Names a turn of all conversations. */
export type TurnKey = readonly [conversation: string, turn: string];

/** What is to be written at once. The removals come first. */
export type StoreChanges = {
  removedConversations: readonly string[];
  removedTurns: readonly TurnKey[];
  conversations: readonly ConversationRow[];
  turns: readonly TurnRow[];
};

/** A record as the store has it. Its reader must check its shape. */
export type KeptValue<Key> = { key: Key; value: unknown };

/** What could not be read, and from where it was put aside. It is not thrown away: the person can download it. */
export type DamagedText = { from: string; text: string };

/**
 * Where the conversations of one person are kept. Every function rejects where the store is out of order; `write` and
 * `fold` reject with an error named `QuotaExceededError` where there is no room, and then nothing of it is written.
 */
export type ConversationStore = {
  /** False where everything is forgotten when the page is left. */
  isLasting: boolean;
  /** All conversations, in no order. */
  readConversations(): Promise<readonly KeptValue<string>[]>;
  /** All turns of a conversation, in no order. */
  readTurns(conversation: string): Promise<readonly KeptValue<TurnKey>[]>;
  /** At most `count` turns of all conversations, in the order of their keys, after the one with the key `after`. */
  readTurnsAfter(after: TurnKey | undefined, count: number): Promise<readonly KeptValue<TurnKey>[]>;
  /** Writes all the changes or none of them. */
  write(changes: StoreChanges): Promise<void>;
  /** Writes what is not there, or is there less completely, and leaves everything else as it is. Removes nothing. */
  fold(changes: Pick<StoreChanges, 'conversations' | 'turns'>, damaged?: readonly DamagedText[]): Promise<void>;
  /** What `fold` has put aside as damaged. */
  readDamaged(): Promise<readonly DamagedText[]>;
  /** Removes everything. */
  clear(): Promise<void>;
  /** Ends the use of the store. */
  close(): void;
};

export const noChanges: StoreChanges = { removedConversations: [], removedTurns: [], conversations: [], turns: [] };

/** Whether a write failed because there is no room. */
export function isNoRoom(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}
