// By hand: a library for it would double the package that the chat core is published as.
import { parseJson } from '../parse-json.ts';
import type { Ending, Turn } from './turn.ts';
import type { Typed } from './typed.ts';

type KeptRecord = { conversationId: string | undefined; turns: Turn[]; isShortened: boolean };

/** What a device keeps of what was said; undefined where `text` is absent or anything else. */
export function readRecord(text: string | null): KeptRecord | undefined {
  const record = parseJson(text);
  if (!isObject(record) || !Array.isArray(record.turns)) return undefined;
  const { conversationId, isShortened = false } = record;
  const turns = record.turns.map(readTurn);
  if (!turns.every((turn) => turn !== undefined) || typeof isShortened !== 'boolean') return undefined;
  if (conversationId !== undefined && typeof conversationId !== 'string') return undefined;
  return { conversationId, turns, isShortened };
}

/** What a device keeps of what is typed; undefined where `text` is absent or anything else. */
export function readTyped(text: string | null): Typed | undefined {
  const typed = parseJson(text);
  if (!isObject(typed)) return undefined;
  const { draft, setAside, wasRefused } = typed;
  if (typeof draft !== 'string' || typeof wasRefused !== 'boolean') return undefined;
  return setAside === null || typeof setAside === 'string' ? { draft, setAside, wasRefused } : undefined;
}

export function readTurn(value: unknown): Turn | undefined {
  if (!isObject(value)) return undefined;
  const { requestId, question, reply } = value;
  const ending = value.ending === null ? null : readEnding(value.ending);
  if (typeof requestId !== 'string' || typeof question !== 'string' || typeof reply !== 'string') return undefined;
  return ending === undefined ? undefined : { requestId, question, reply, ending };
}

function readEnding(value: unknown): Ending | undefined {
  if (!isObject(value)) return undefined;
  const { type, requestId, sentence } = value;
  if (type === 'done' || type === 'stopped') return { type };
  if (typeof requestId !== 'string') return undefined;
  if (type === 'interrupted' || type === 'left') return { type, requestId };
  return type === 'failed' && typeof sentence === 'string' ? { type, requestId, sentence } : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
