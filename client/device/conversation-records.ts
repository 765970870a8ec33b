import { isObject } from '../../shared/is-object.ts';
import { readTurn } from '../chat/transcript.ts';
import type { Turn } from '../chat/turn.ts';

/** A conversation as a list shows it. */
export type ConversationEntry = {
  id: string;
  /** From the first question, or from what is typed where nothing was asked yet. */
  title: string;
  /** What the person calls it, if they gave it a name. */
  name?: string | undefined;
  /** When something was last asked or answered, in milliseconds since the epoch. Always a date that `Date` can say. */
  lastActiveAt: number;
};

/** What is kept of a conversation besides its turns. */
export type ConversationRow = ConversationEntry & {
  /** The service's id of the conversation: undefined until the first turn was answered. */
  conversationId?: string | undefined;
  /** The last turn of the path that is shown; null where nothing was asked. */
  shownId: string | null;
  /** When the user removed it, in milliseconds since the epoch. It can be restored until it is purged. */
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

const maxTitleCharacters = 80;

/** The beginning of `text` on one line. */
export function titleOf(text: string): string {
  // Cut first: a pasted book is one question as well.
  const beginning = text.trimStart().slice(0, maxTitleCharacters * 8);
  const characters = [...beginning.trim().replace(/\s+/g, ' ')];
  if (characters.length <= maxTitleCharacters) return characters.join('');
  return `${characters.slice(0, maxTitleCharacters - 1).join('')}…`;
}

/** The latest moment that `Date` can say: a later one throws wherever it is shown. */
const latestMoment = 8_640_000_000_000_000;

/** Ids go into addresses and into the keys of a storage. */
const conversationIdPattern = /^[\w-]{1,64}$/;

/** The value as a kept conversation; undefined where it is anything else. */
export function readConversationRow(value: unknown): ConversationRow | undefined {
  if (!isObject(value)) return undefined;
  const { id, title, name, lastActiveAt, conversationId, shownId = null, removedAt } = value;
  if (!isConversationId(id) || typeof title !== 'string' || !isMoment(lastActiveAt)) return undefined;
  if (!isTextOrAbsent(name) || !isTextOrAbsent(conversationId)) return undefined;
  if (shownId !== null && typeof shownId !== 'string') return undefined;
  if (removedAt !== undefined && !isMoment(removedAt)) return undefined;
  return { id, title, name, lastActiveAt, conversationId, shownId, removedAt };
}

/** The value as a kept turn; undefined where it is anything else. */
export function readTurnRow(value: unknown): TurnRow | undefined {
  if (!isObject(value)) return undefined;
  const { conversation, id, order } = value;
  const turn = readTurn(value.turn);
  if (!isConversationId(conversation) || typeof id !== 'string' || turn?.id !== id) return undefined;
  if (typeof order !== 'number' || !Number.isFinite(order)) return undefined;
  const isDated = turn.askedAt === null || isMoment(turn.askedAt);
  return { conversation, id, order, turn: isDated ? turn : { ...turn, askedAt: null } };
}

/** The rows in order of creation. */
export function inOrder(rows: Iterable<TurnRow>): TurnRow[] {
  return [...rows].sort((one, other) => one.order - other.order);
}

export function isConversationId(value: unknown): value is string {
  return typeof value === 'string' && conversationIdPattern.test(value);
}

/** Whether the value is a moment in milliseconds since the epoch that `Date` can say. */
export function isMoment(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= latestMoment;
}

export function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
