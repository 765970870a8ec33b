import { isErrorCode } from '../../shared/errors.ts';
import { isObject } from '../../shared/is-object.ts';
import { parseJson } from '../parse-json.ts';
import { type Draft, emptyDraft, isEmptyDraft } from './draft.ts';
import type { Ending, Turn } from './turn.ts';

/** The stored turns of a conversation. */
export type TranscriptRecord = {
  /** The server's id of the conversation: unknown before the first live turn, and in the demo. */
  conversationId: string | undefined;
  /** All turns, those of other versions too, in order of creation. A turn that has not changed is the same object. */
  turns: readonly Turn[];
  /** The last turn of the path that is shown; null where there is no turn. */
  shownId: string | null;
};

/** `localStorage`, `sessionStorage`, or anything alike. */
export type TranscriptStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** Stores `text` under `key`, or removes the item if `text` is null. If the storage is full, the item stays as it was. */
export function keepItem(storage: TranscriptStorage, key: string, text: string | null): void {
  try {
    if (text === null) storage.removeItem(key);
    else storage.setItem(key, text);
  } catch {
    // Full.
  }
}

export type Transcript = {
  /** The stored conversation; an empty one if the record cannot be read. */
  load(): TranscriptRecord & { draft: Draft };
  /** Stores the turns, now or soon. If the storage is full, the stored ones stay as they were. Never throws. */
  saveTurns(record: TranscriptRecord): void;
  /** Stores the draft. If the storage is full, the stored one stays as it was. Never throws. */
  saveDraft(draft: Draft): void;
  /** Reads what another page has stored since, if `load` does not do so. Never rejects. */
  refresh?(): Promise<void>;
};

/** Holds one conversation in memory. */
export function createForgetfulTranscript(): Transcript {
  let record: TranscriptRecord = { conversationId: undefined, turns: [], shownId: null };
  let draft = emptyDraft;
  return {
    load: () => ({ ...record, draft }),
    saveTurns({ conversationId, turns, shownId }) {
      record = { conversationId, turns, shownId };
    },
    saveDraft(latest) {
      draft = latest;
    },
  };
}

/** The key under which `createTranscript` stores the draft of the conversation under `key`. */
export const draftKeyOf = (key: string): string => `${key}:typed`;

/**
 * Stores one conversation in the device's storage, its turns under `key`. The draft has a record of its own: it changes
 * with every key, and a tab that stores it must not overwrite the turns of another tab.
 */
export function createTranscript(storage: TranscriptStorage, key: string): Transcript {
  const draftKey = draftKeyOf(key);

  return {
    load() {
      const { conversationId, turns = [], shownId = null } = readRecord(storage.getItem(key)) ?? {};
      return { conversationId, turns, shownId, draft: loadDraft(storage, draftKey) };
    },

    saveTurns({ conversationId, turns, shownId }) {
      keepItem(storage, key, turns.length === 0 ? null : JSON.stringify({ conversationId, turns, shownId }));
    },

    saveDraft: (draft) => keepDraft(storage, draftKey, draft),
  };
}

/** The draft that `storage` has under `key`. */
export function loadDraft(storage: TranscriptStorage, key: string): Draft {
  return readDraft(storage.getItem(key)) ?? emptyDraft;
}

/** Stores the draft. If the storage is full, it is only in the message field, and is lost when the page is closed. */
export function keepDraft(storage: TranscriptStorage, key: string, draft: Draft): void {
  const stored = isEmptyDraft(draft) ? null : storedDraft(draft);
  if (stored !== storage.getItem(key)) keepItem(storage, key, stored);
}

/** As earlier releases store it: with the text as `draft`. */
function storedDraft({ text, ...rest }: Draft): string {
  return JSON.stringify({ draft: text, ...rest });
}

// By hand: a library for it would double the package that the chat core is published as.

type StoredRecord = { conversationId: string | undefined; turns: Turn[]; shownId: string | null };

/** The turns in a stored text; undefined if it is absent or invalid. */
function readRecord(text: string | null): StoredRecord | undefined {
  const record = parseJson(text);
  if (!isObject(record) || !Array.isArray(record.turns)) return undefined;
  const { conversationId } = record;
  const turns = record.turns.map(readTurn).filter((turn) => turn !== undefined);
  if (turns.length < record.turns.length) return undefined;
  if (conversationId !== undefined && typeof conversationId !== 'string') return undefined;
  const shownId = typeof record.shownId === 'string' ? record.shownId : (turns.at(-1)?.id ?? null);
  return { conversationId, turns, shownId };
}

/** The draft in a stored text; undefined if it is absent or invalid. */
function readDraft(text: string | null): Draft | undefined {
  const stored = parseJson(text);
  if (!isObject(stored)) return undefined;
  const { draft, setAside, editedId = null, wasRefused } = stored;
  if (editedId !== null && typeof editedId !== 'string') return undefined;
  if (typeof draft !== 'string' || typeof wasRefused !== 'boolean') return undefined;
  if (setAside !== null && typeof setAside !== 'string') return undefined;
  const queued = readQueued(stored.queued);
  return queued && { text: draft, setAside, editedId, wasRefused, queued };
}

function readQueued(value: unknown = []): string[] | undefined {
  return Array.isArray(value) && value.every((question) => typeof question === 'string') ? value : undefined;
}

/** A stored turn; undefined if `value` is not one. */
export function readTurn(value: unknown): Turn | undefined {
  if (!isObject(value)) return undefined;
  const { id, parentId, requestId, question, reply, askedAt = null } = value;
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
  if (type === 'done' || type === 'stopped' || type === 'unsent') return { type };
  if (typeof requestId !== 'string') return undefined;
  // Earlier releases stored an empty id where nothing had been sent.
  if (type === 'interrupted' && requestId === '') return { type: 'unsent' };
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
