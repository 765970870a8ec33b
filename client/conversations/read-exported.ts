import { isObject } from '../../shared/is-object.ts';
import { readTurn } from '../chat/kept.ts';
import type { Turn } from '../chat/turn.ts';
import { isConversationId, isMoment, isTextOrAbsent } from '../device/store-rows.ts';
import type { ExportedConversation } from './exported-conversations.ts';

/** Why something of a file cannot be taken. */
export type Refusal = 'notAFile' | 'laterVersion' | 'noConversation' | 'damagedTurn';

/** The conversations of a file, each as it is or with why it cannot be taken. */
export type ReadFile = { conversations: readonly unknown[] } | { refusal: Refusal };

/** The conversations in the text of a file, still to be looked at one by one. */
export function readExportedFile(text: string): ReadFile {
  const file = parsed(text);
  if (!isObject(file) || file.format !== 'advisory-chat-conversations') return { refusal: 'notAFile' };
  if (file.version !== 1) return { refusal: 'laterVersion' };
  return Array.isArray(file.conversations) ? { conversations: file.conversations } : { refusal: 'notAFile' };
}

/** One conversation of a file. Only what is named here is taken over, whatever else the value holds. */
export function readExportedConversation(value: unknown): ExportedConversation | Refusal {
  if (!isObject(value)) return 'noConversation';
  const { id, title, name, lastActiveAt, conversationId, shownId, draft } = value;
  if (!isConversationId(id) || typeof title !== 'string' || !isMoment(lastActiveAt)) return 'noConversation';
  if (!isTextOrAbsent(name) || !isTextOrAbsent(conversationId) || !isTextOrAbsent(draft)) return 'noConversation';
  if (shownId !== null && typeof shownId !== 'string') return 'noConversation';
  if (!Array.isArray(value.turns)) return 'noConversation';
  const turns = readTurns(value.turns);
  if (turns === undefined) return 'damagedTurn';
  return { id, title, name, lastActiveAt, conversationId, shownId, draft, turns };
}

/** The turns, or undefined if one of them is no turn, repeats an id, or follows a turn that does not come before it. */
function readTurns(values: readonly unknown[]): Turn[] | undefined {
  const ids = new Set<string>();
  const turns: Turn[] = [];
  for (const value of values) {
    const turn = readTurn(value, turns.at(-1));
    if (turn === undefined || ids.has(turn.id) || turn.id.length > 200) return undefined;
    if (turn.parentId !== null && !ids.has(turn.parentId)) return undefined;
    if (turn.askedAt !== null && !isMoment(turn.askedAt)) return undefined;
    ids.add(turn.id);
    turns.push(turn);
  }
  return turns;
}

/** A value nested too deep is as unreadable as one that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
