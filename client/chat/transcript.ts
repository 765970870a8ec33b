import { isErrorCode } from '../../shared/errors.ts';
import { isObject } from '../../shared/is-object.ts';
import { parseJson } from '../parse-json.ts';
import { type Draft, emptyDraft, isEmptyDraft } from './draft.ts';
import type { Ending, Turn } from './turn.ts';

/** The stored turns of a conversation. */
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

/** Writes an item, or removes it if `text` is null. If the storage is full, the item stays unchanged and the result is false. */
export function writeItem(storage: KeyValueStorage, key: string, text: string | null): boolean {
  try {
    if (text === null) storage.removeItem(key);
    else storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

export type Transcript = {
  /** Returns an empty conversation if the record is missing or invalid. */
  load(): TranscriptRecord & { draft: Draft };
  /** May write later. If the storage is full, the stored turns stay unchanged. Never throws. */
  saveTurns(record: TranscriptRecord): void;
  /** If the storage is full, the stored draft stays unchanged. Never throws. */
  saveDraft(draft: Draft): void;
  /** Reads the changes of other tabs, if `load` does not do so. Never rejects. */
  refresh?(): Promise<void>;
};

export function createMemoryTranscript(): Transcript {
  let record: TranscriptRecord = { conversationId: undefined, turns: [], shownId: null };
  let draft = emptyDraft;
  return {
    load: () => ({ ...record, draft }),
    saveTurns(saved) {
      record = saved;
    },
    saveDraft(latest) {
      draft = latest;
    },
  };
}

/**
 * Persists one conversation, with its turns under `key`. The draft is a separate item, because it changes with every keystroke and
 * storing it must not overwrite the turns of another tab.
 */
export function createTranscript(storage: KeyValueStorage, key: string): Transcript {
  const draftKey = `${key}:typed`;

  return {
    load() {
      const record = readRecord(storage.getItem(key)) ?? { conversationId: undefined, turns: [], shownId: null };
      return { ...record, draft: loadDraft(storage, draftKey) };
    },

    saveTurns({ conversationId, turns, shownId, earlierShownIds }) {
      const record = { conversationId, turns, shownId, earlierShownIds };
      writeItem(storage, key, turns.length === 0 ? null : JSON.stringify(record));
    },

    saveDraft: (draft) => void storeDraft(storage, draftKey, draft),
  };
}

export function loadDraft(storage: KeyValueStorage, key: string): Draft {
  return readDraft(storage.getItem(key)) ?? emptyDraft;
}

/** Returns false if the storage is full: the draft is then only in memory and is lost when the page is closed. */
export function storeDraft(storage: KeyValueStorage, key: string, draft: Draft): boolean {
  const stored = isEmptyDraft(draft) ? null : JSON.stringify(draft);
  return stored === storage.getItem(key) || writeItem(storage, key, stored);
}

// Validated without a library, which would double the size of the client package.

function readRecord(text: string | null): TranscriptRecord | undefined {
  const record = parseJson(text);
  if (!isObject(record) || !Array.isArray(record.turns)) return undefined;
  const { conversationId, shownId, earlierShownIds = [] } = record;
  const turns = record.turns.map(readTurn).filter((turn) => turn !== undefined);
  if (turns.length < record.turns.length) return undefined;
  if (conversationId !== undefined && typeof conversationId !== 'string') return undefined;
  if (shownId !== null && typeof shownId !== 'string') return undefined;
  if (!isTexts(earlierShownIds)) return undefined;
  return { conversationId, turns, shownId, earlierShownIds };
}

function readDraft(item: string | null): Draft | undefined {
  const stored = parseJson(item);
  if (!isObject(stored)) return undefined;
  const { text, setAside, editedId, wasRefused, queued } = stored;
  if (editedId !== null && typeof editedId !== 'string') return undefined;
  if (typeof text !== 'string' || typeof wasRefused !== 'boolean') return undefined;
  if (setAside !== null && typeof setAside !== 'string') return undefined;
  if (!isTexts(queued)) return undefined;
  return { text, setAside, editedId, wasRefused, queued };
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

export function readTurn(value: unknown): Turn | undefined {
  if (!isObject(value)) return undefined;
  const { id, parentId, requestId, question, reply, askedAt } = value;
  if (typeof id !== 'string' || (parentId !== null && typeof parentId !== 'string')) return undefined;
  if (askedAt !== null && typeof askedAt !== 'number') return undefined;
  const ending = value.ending === null ? null : readEnding(value.ending);
  if (typeof requestId !== 'string' || typeof question !== 'string' || typeof reply !== 'string') return undefined;
  if (ending === undefined) return undefined;
  const mark = value.isContinuation === true ? ({ isContinuation: true } as const) : {};
  return { id, parentId, requestId, question, reply, ending, askedAt, ...mark };
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
