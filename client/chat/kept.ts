// By hand: a library for it would double the package that the chat core is published as.

import { isErrorCode } from '../../shared/errors.ts';
import { isObject } from '../../shared/is-object.ts';
import { parseJson } from '../parse-json.ts';
import type { Ending, Turn } from './turn.ts';
import type { Typed } from './typed.ts';

type KeptRecord = { conversationId: string | undefined; turns: Turn[]; shownId: string | null };

/** What a device keeps of what was said; undefined where `text` is absent or anything else. */
export function readRecord(text: string | null): KeptRecord | undefined {
  const record = parseJson(text);
  if (!isObject(record) || !Array.isArray(record.turns)) return undefined;
  const { conversationId } = record;
  const turns: Turn[] = [];
  for (const value of record.turns) {
    const turn = readTurn(value, turns.at(-1));
    if (turn === undefined) return undefined;
    turns.push(turn);
  }
  if (conversationId !== undefined && typeof conversationId !== 'string') return undefined;
  const shownId = typeof record.shownId === 'string' ? record.shownId : (turns.at(-1)?.id ?? null);
  return { conversationId, turns, shownId };
}

/** What a device keeps of what is typed; undefined where `text` is absent or anything else. */
export function readTyped(text: string | null): Typed | undefined {
  const typed = parseJson(text);
  if (!isObject(typed)) return undefined;
  const { draft, setAside, editedId = null, wasRefused } = typed;
  if (editedId !== null && typeof editedId !== 'string') return undefined;
  if (typeof draft !== 'string' || typeof wasRefused !== 'boolean') return undefined;
  return setAside === null || typeof setAside === 'string' ? { draft, setAside, editedId, wasRefused } : undefined;
}

/**
 * A kept turn; undefined where `value` is anything else. One that was kept by the release before has no id but its request id,
 * and follows the turn that was kept before it, `preceding`.
 */
export function readTurn(value: unknown, preceding: Turn | undefined): Turn | undefined {
  if (!isObject(value)) return undefined;
  const { requestId, question, reply } = value;
  const { id = requestId, parentId = preceding?.id ?? null, askedAt = null } = value;
  if (typeof id !== 'string' || (parentId !== null && typeof parentId !== 'string')) return undefined;
  if (askedAt !== null && typeof askedAt !== 'number') return undefined;
  const ending = value.ending === null ? null : readEnding(value.ending);
  if (typeof requestId !== 'string' || typeof question !== 'string' || typeof reply !== 'string') return undefined;
  return ending === undefined ? undefined : { id, parentId, requestId, question, reply, ending, askedAt };
}

function readEnding(value: unknown): Ending | undefined {
  if (!isObject(value)) return undefined;
  const { type, requestId, sentence, code, status } = value;
  if (type === 'done' || type === 'stopped') return { type };
  if (typeof requestId !== 'string') return undefined;
  if (type === 'interrupted' || type === 'left') return { type, requestId };
  if (type !== 'failed' || typeof sentence !== 'string') return undefined;
  return {
    type,
    requestId,
    sentence,
    code: typeof code === 'string' && isErrorCode(code) ? code : undefined,
    status: typeof status === 'number' ? status : 0,
  };
}
