import { isErrorCode } from '../../shared/errors.ts';
import { isObject } from '../../shared/is-object.ts';
import { parseJson } from '../parse-json.ts';
import { type Draft, emptyDraft, isEmptyDraft } from './draft.ts';
import type { Ending, Turn } from './turn.ts';

/** What is kept of what was said. */
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

/** Keeps `text` under `key`, or nothing where it is null. Where the storage is full, what was kept before stays. */
export function keepItem(storage: TranscriptStorage, key: string, text: string | null): void {
  try {
    if (text === null) storage.removeItem(key);
    else storage.setItem(key, text);
  } catch {
    // Full.
  }
}

export type Transcript = {
  /** What is kept, or nothing where that is unreadable. */
  load(): TranscriptRecord & { draft: Draft };
  /** Keeps the turns, at once or soon. Where there is no room what was kept before stays. Never throws. */
  saveTurns(record: TranscriptRecord): void;
  /** Keeps what is typed. Where there is no room what was kept before stays. Never throws. */
  saveDraft(draft: Draft): void;
  /** Reads anew what another page has kept meanwhile, where `load` would not do so by itself. Never rejects. */
  refresh?(): Promise<void>;
};

/** Keeps one conversation for as long as this object lasts. */
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

/** The key under which `createTranscript` keeps what is typed in the conversation under `key`. */
export const draftKeyOf = (key: string): string => `${key}:typed`;

/**
 * Keeps one conversation in the device's storage, its turns under `key`. What is typed is kept apart from them: it changes
 * with every key, and two tabs with the same conversation do not undo each other's turns.
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

/** What is typed, as `storage` keeps it under `key`. */
export function loadDraft(storage: TranscriptStorage, key: string): Draft {
  return readDraft(storage.getItem(key)) ?? emptyDraft;
}

/** Keeps what is typed. Where the storage is full it stays in the message field, for as long as the page is open. */
export function keepDraft(storage: TranscriptStorage, key: string, draft: Draft): void {
  const stored = isEmptyDraft(draft) ? null : storedDraft(draft);
  if (stored !== storage.getItem(key)) keepItem(storage, key, stored);
}

/** As earlier releases store it: with the text as `draft`. */
function storedDraft({ text, ...rest }: Draft): string {
  return JSON.stringify({ draft: text, ...rest });
}

// By hand: a library for it would double the package that the chat core is published as.

type KeptRecord = { conversationId: string | undefined; turns: Turn[]; shownId: string | null };

/** What a device keeps of what was said; undefined where `text` is absent or anything else. */
function readRecord(text: string | null): KeptRecord | undefined {
  const record = parseJson(text);
  if (!isObject(record) || !Array.isArray(record.turns)) return undefined;
  const { conversationId } = record;
  const turns = record.turns.map(readTurn).filter((turn) => turn !== undefined);
  if (turns.length < record.turns.length) return undefined;
  if (conversationId !== undefined && typeof conversationId !== 'string') return undefined;
  const shownId = typeof record.shownId === 'string' ? record.shownId : (turns.at(-1)?.id ?? null);
  return { conversationId, turns, shownId };
}

/** What a device keeps of what is typed; undefined where `text` is absent or anything else. */
function readDraft(text: string | null): Draft | undefined {
  const kept = parseJson(text);
  if (!isObject(kept)) return undefined;
  const { draft, setAside, editedId = null, wasRefused } = kept;
  if (editedId !== null && typeof editedId !== 'string') return undefined;
  if (typeof draft !== 'string' || typeof wasRefused !== 'boolean') return undefined;
  if (setAside !== null && typeof setAside !== 'string') return undefined;
  const queued = readQueued(kept.queued);
  return queued && { text: draft, setAside, editedId, wasRefused, queued };
}

function readQueued(value: unknown = []): string[] | undefined {
  return Array.isArray(value) && value.every((question) => typeof question === 'string') ? value : undefined;
}

/** A kept turn; undefined where `value` is anything else. */
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
