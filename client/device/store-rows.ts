import { isObject } from '../../shared/is-object.ts';
import { readTurn } from '../chat/kept.ts';
import type { ConversationRow, StoreChanges, TurnRow } from './conversation-store.ts';

/** The latest moment that `Date` can say: a later one throws wherever it is shown. */
const latestMoment = 8_640_000_000_000_000;

/** Ids go into addresses and into the keys of a storage. */
const conversationIdPattern = /^[\w-]{1,64}$/;

/** The value as a conversation of a store; undefined where it is anything else. */
export function readConversationRow(value: unknown): ConversationRow | undefined {
  if (!isObject(value)) return undefined;
  const { id, title, name, lastActiveAt, conversationId, shownId = null, removedAt } = value;
  if (!isConversationId(id) || typeof title !== 'string' || !isMoment(lastActiveAt)) return undefined;
  if (!isTextOrAbsent(name) || !isTextOrAbsent(conversationId)) return undefined;
  if (shownId !== null && typeof shownId !== 'string') return undefined;
  if (removedAt !== undefined && !isMoment(removedAt)) return undefined;
  return { id, title, name, lastActiveAt, conversationId, shownId, removedAt };
}

/** What can be read of a damaged conversation, and for the rest `otherwise`. */
export function mendedConversationRow(value: unknown, otherwise: ConversationRow): ConversationRow {
  if (!isObject(value)) return otherwise;
  const { title, name, lastActiveAt } = value;
  return {
    ...otherwise,
    ...(typeof title === 'string' && { title }),
    ...(typeof name === 'string' && { name }),
    ...(isMoment(lastActiveAt) && { lastActiveAt }),
  };
}

/** The value as a turn of a store; undefined where it is anything else. */
export function readTurnRow(value: unknown): TurnRow | undefined {
  if (!isObject(value)) return undefined;
  const { conversation, id, order } = value;
  const turn = readTurn(value.turn, undefined);
  if (!isConversationId(conversation) || typeof id !== 'string' || turn?.id !== id) return undefined;
  if (typeof order !== 'number' || !Number.isFinite(order)) return undefined;
  return { conversation, id, order, turn: isMomentOrNull(turn.askedAt) ? turn : { ...turn, askedAt: null } };
}

/** The value as changes, without what is anything else: another tab or an earlier visit has written it. */
export function readChanges(value: unknown): StoreChanges {
  const changes = isObject(value) ? value : {};
  return {
    removedConversations: listOf(changes.removedConversations, (id) => (isConversationId(id) ? id : undefined)),
    removedTurns: listOf(changes.removedTurns, readTurnKey),
    conversations: listOf(changes.conversations, readConversationRow),
    turns: listOf(changes.turns, readTurnRow),
  };
}

export function isConversationId(value: unknown): value is string {
  return typeof value === 'string' && conversationIdPattern.test(value);
}

/** Whether the value is a moment in milliseconds since the epoch that `Date` can say. */
export function isMoment(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= latestMoment;
}

function isMomentOrNull(value: unknown): value is number | null {
  return value === null || isMoment(value);
}

export function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function readTurnKey(value: unknown): readonly [string, string] | undefined {
  if (!Array.isArray(value)) return undefined;
  const [conversation, turn]: unknown[] = value;
  return typeof conversation === 'string' && typeof turn === 'string' ? [conversation, turn] : undefined;
}

function listOf<Item>(value: unknown, read: (value: unknown) => Item | undefined): Item[] {
  return Array.isArray(value) ? value.map(read).filter((item) => item !== undefined) : [];
}
