import type { ConversationRow, TurnRow } from './conversation-store.ts';
import { readConversationRow, readTurnRow } from './store-rows.ts';

/** Whether `row` tells more than what is kept under its key. */
export function isMoreCompleteTurn(kept: unknown, row: TurnRow): boolean {
  const turn = readTurnRow(kept)?.turn;
  if (turn === undefined) return true;
  if (turn.ending !== null) return false;
  return row.turn.ending !== null || row.turn.reply.length > turn.reply.length;
}

/** Whether `row` is later than what is kept under its key. */
export function isLaterConversation(kept: unknown, row: ConversationRow): boolean {
  const known = readConversationRow(kept);
  return known === undefined || row.lastActiveAt > known.lastActiveAt;
}
