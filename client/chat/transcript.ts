import { isErrorCode } from '../../shared/errors.ts';
import { isObject } from '../../shared/is-object.ts';
import { parseJson } from '../parse-json.ts';
import { writeItem } from '../write-item.ts';
import { type Draft, emptyDraft, isEmptyDraft } from './draft.ts';
import type { Ending, Turn } from './turn.ts';

export type TranscriptRecord = {
  /** The service's id of the conversation; undefined before the first live turn and in demo chat. */
  conversationId: string | undefined;
  /** All turns including other versions, in order of creation. Unchanged turns stay the same objects. */
  turns: readonly Turn[];
  /** The last turn of the path that is shown; null if there is no turn. */
  shownId: string | null;
  /** The last turns of the other paths that were shown, the oldest first. */
  earlierShownIds?: readonly string[] | undefined;
};

/** `localStorage`, `sessionStorage` or a compatible object. */
export type KeyValueStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

export type Transcript = {
  /** Returns no turns if the record is missing or invalid. */
  load(): TranscriptRecord & { draft: Draft };
  /** May write later. If the storage is full, the stored turns stay unchanged. Never throws. */
  saveTurns(record: TranscriptRecord): void;
  /** If the storage is full, the stored draft stays unchanged. Never throws. */
  saveDraft(draft: Draft): void;
  /** Reads the changes of other tabs, if `load` does not do so. Never rejects. */
  refresh?(): Promise<void>;
};

export const emptyTranscript: TranscriptRecord & { draft: Draft } = {
  conversationId: undefined,
  turns: [],
  shownId: null,
  draft: emptyDraft,
};

export function createMemoryTranscript(): Transcript {
  let stored = emptyTranscript;
  return {
    load: () => stored,
    saveTurns(record) {
      stored = { ...record, draft: emptyDraft };
    },
    // A conversation loads its draft only when it is created.
    saveDraft() {},
  };
}

/**
 * Persists one conversation, with its turns under `key`. The draft is a separate item, because it changes with every keystroke and
 * storing it must not overwrite the turns of another tab.
 */
export function createTranscript(storage: KeyValueStorage, key: string): Transcript {
  const draftKey = `${key}:typed`;

  return {
    load: () => ({
      ...emptyTranscript,
      ...readRecord(storage.getItem(key)),
      draft: loadDraft(storage, draftKey),
    }),

    saveTurns({ conversationId, turns, shownId, earlierShownIds }) {
      const record = { conversationId, turns, shownId, earlierShownIds };
      writeItem(storage, key, turns.length === 0 ? null : JSON.stringify(record));
    },

    saveDraft: (draft) => void storeDraft(storage, draftKey, draft),
  };
}

export function loadDraft(storage: KeyValueStorage, key: string): Draft {
  const stored = parseJson(storage.getItem(key));
  return isDraft(stored) ? stored : emptyDraft;
}

/** Returns false if the storage is full: the draft is then only in memory and is lost when the page is closed. */
export function storeDraft(storage: KeyValueStorage, key: string, draft: Draft): boolean {
  const stored = isEmptyDraft(draft) ? null : JSON.stringify(draft);
  return stored === storage.getItem(key) || writeItem(storage, key, stored);
}

// Stored values are validated without a library, which would double the size of the client package.

function readRecord(text: string | null): TranscriptRecord | undefined {
  const record = parseJson(text);
  if (!isObject(record) || !Array.isArray(record.turns)) return undefined;
  const { conversationId, shownId, earlierShownIds = [] } = record;
  const turns = record.turns.map(readTurn).filter((turn) => turn !== undefined);
  const isReadable =
    turns.length === record.turns.length &&
    (conversationId === undefined || typeof conversationId === 'string') &&
    isStringOrNull(shownId) &&
    isStringArray(earlierShownIds);
  return isReadable ? { conversationId, turns, shownId, earlierShownIds } : undefined;
}

function isDraft(stored: unknown): stored is Draft {
  return (
    isObject(stored) &&
    typeof stored.text === 'string' &&
    typeof stored.wasRefused === 'boolean' &&
    isStringOrNull(stored.setAside) &&
    isStringOrNull(stored.editedId) &&
    isStringArray(stored.queued)
  );
}

function isStringOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

export function readTurn(value: unknown): Turn | undefined {
  if (!isObject(value)) return undefined;
  const { id, parentId, requestId, question, reply, askedAt } = value;
  if (typeof id !== 'string' || !isStringOrNull(parentId)) return undefined;
  if (askedAt !== null && typeof askedAt !== 'number') return undefined;
  const ending = value.ending === null ? null : readEnding(value.ending);
  if (typeof requestId !== 'string' || typeof question !== 'string' || typeof reply !== 'string') return undefined;
  if (ending === undefined) return undefined;
  const continuation = value.isContinuation === true ? ({ isContinuation: true } as const) : {};
  const imported = value.isImported === true ? ({ isImported: true } as const) : {};
  return { id, parentId, requestId, question, reply, ending, askedAt, ...continuation, ...imported };
}

function readEnding(value: unknown): Ending | undefined {
  if (!isObject(value)) return undefined;
  const { type, requestId, sentence, code, status } = value;
  if (type === 'done' || type === 'stopped') return { type };
  if (typeof requestId !== 'string') return undefined;
  if (type === 'interrupted' || type === 'left') return { type, requestId };
  if (type !== 'failed' || typeof sentence !== 'string' || typeof status !== 'number') return undefined;
  return { type, requestId, sentence, code: typeof code === 'string' && isErrorCode(code) ? code : undefined, status };
}
