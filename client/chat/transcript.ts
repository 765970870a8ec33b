import { readRecord, readTyped } from './kept.ts';
import type { Turn } from './turn.ts';
import { isNothing, nothingTyped, type Typed } from './typed.ts';

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

export type Transcript = {
  /** What is kept, or nothing where that is unreadable. */
  load(): TranscriptRecord & { typed: Typed };
  /** Keeps the turns, at once or soon. Where there is no room what was kept before stays. Never throws. */
  saveTurns(record: TranscriptRecord): void;
  /** Keeps what is typed. Where there is no room what was kept before stays. Never throws. */
  saveTyped(typed: Typed): void;
};

/** Keeps one conversation for as long as this object lasts. */
export function createForgetfulTranscript(): Transcript {
  let record: TranscriptRecord = { conversationId: undefined, turns: [], shownId: null };
  let typed = nothingTyped;
  return {
    load: () => ({ ...record, typed }),
    saveTurns({ conversationId, turns, shownId }) {
      record = { conversationId, turns, shownId };
    },
    saveTyped(latest) {
      typed = latest;
    },
  };
}

/**
 * Keeps one conversation in the device's storage, its turns under `key`. What is typed is kept apart from them: it changes
 * with every key, and two tabs with the same conversation do not undo each other's turns.
 */
export function createTranscript(storage: TranscriptStorage, key: string): Transcript {
  const typedKey = `${key}:typed`;

  return {
    load() {
      const typed = readTyped(storage.getItem(typedKey)) ?? nothingTyped;
      const kept = readRecord(storage.getItem(key));
      const { conversationId, turns = [], shownId = null } = kept ?? {};
      return { conversationId, turns, shownId, typed };
    },

    saveTurns({ conversationId, turns, shownId }) {
      if (turns.length === 0) return storage.removeItem(key);
      try {
        storage.setItem(key, JSON.stringify({ conversationId, turns, shownId }));
      } catch {
        // Full: it goes on in memory, for as long as the page is open.
      }
    },

    saveTyped(typed) {
      const text = isNothing(typed) ? null : JSON.stringify(typed);
      if (text === storage.getItem(typedKey)) return;
      if (text === null) return storage.removeItem(typedKey);
      try {
        storage.setItem(typedKey, text);
      } catch {
        // Full: it stays in the message field, for as long as the page is open.
      }
    },
  };
}
