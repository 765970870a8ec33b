import { isObject } from '../../shared/is-object.ts';
import { isStringArray, readTurn } from '../chat/transcript.ts';
import type { Turn } from '../chat/turn.ts';

export type ConversationEntry = {
  id: string;
  /** From the first shown question, or from the draft if no question has been sent yet. */
  title: string;
  name?: string | undefined;
  /** The time of the last question or reply, or of the draft before them, in milliseconds since the epoch; always valid for `Date`. */
  lastActiveAt: number;
  /** Set if no question has been sent yet. */
  isDraft?: boolean;
};

export type ConversationRow = Omit<ConversationEntry, 'isDraft'> & {
  conversationId?: string | undefined;
  shownId: string | null;
  earlierShownIds?: readonly string[] | undefined;
  /** The time at which the user deleted it, in milliseconds since the epoch. It can be restored until it is purged. */
  removedAt?: number | undefined;
};

/** One stored turn. A growing reply updates one small record, however long the conversation is. */
export type TurnRow = {
  conversation: string;
  id: string;
  order: number;
  turn: Turn;
};

export type TurnKey = readonly [conversation: string, turn: string];

/** The latest time that `Date` accepts: formatting a later one throws. */
const maxTimestamp = 8_640_000_000_000_000;

/** Ids are used in URLs and storage keys. */
const conversationIdPattern = /^[\w-]{1,64}$/;

export function readConversationRow(value: unknown): ConversationRow | undefined {
  if (!isObject(value)) return undefined;
  const { id, title, name, lastActiveAt, conversationId, shownId = null, earlierShownIds, removedAt } = value;
  if (!isConversationId(id) || typeof title !== 'string' || !isTimestamp(lastActiveAt)) return undefined;
  if (!isOptionalString(name) || !isOptionalString(conversationId)) return undefined;
  if (shownId !== null && typeof shownId !== 'string') return undefined;
  if (earlierShownIds !== undefined && !isStringArray(earlierShownIds)) return undefined;
  if (removedAt !== undefined && !isTimestamp(removedAt)) return undefined;
  return { id, title, name, lastActiveAt, conversationId, shownId, earlierShownIds, removedAt };
}

export function readTurnRow(value: unknown): TurnRow | undefined {
  if (!isObject(value)) return undefined;
  const { conversation, id, order } = value;
  const turn = readTurn(value.turn);
  if (!isConversationId(conversation) || typeof id !== 'string' || turn?.id !== id) return undefined;
  if (typeof order !== 'number' || !Number.isFinite(order)) return undefined;
  const isDated = turn.askedAt === null || isTimestamp(turn.askedAt);
  return { conversation, id, order, turn: isDated ? turn : { ...turn, askedAt: null } };
}

export function sortRows(rows: Iterable<TurnRow>): TurnRow[] {
  return [...rows].sort((one, other) => one.order - other.order);
}

export function isSameRecord<Fields extends object>(one: Fields, other: Fields): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof Fields)[];
  return names.every((name) => one[name] === other[name] || JSON.stringify(one[name]) === JSON.stringify(other[name]));
}

export function isConversationId(value: unknown): value is string {
  return typeof value === 'string' && conversationIdPattern.test(value);
}

export function isTimestamp(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= maxTimestamp;
}

export function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
