import { readRecord } from './kept.ts';
import type { TranscriptRecord, TranscriptStorage } from './transcript.ts';

/** Remembers the conversation before a new one, so that a reload does not forget it. */
export type KeptPutAway = {
  /** Undefined where there is none, or none that can be read. */
  load(): TranscriptRecord | undefined;
  /** Keeps it in the place of any before it. Never throws. */
  save(record: TranscriptRecord): void;
  forget(): void;
};

/** Longer texts stay in memory: the storage has to have room for what is typed. */
const mostCharacters = 1_000_000;

/** Remembers it for as long as this object lasts. */
export function createForgetfulPutAway(): KeptPutAway {
  let kept: TranscriptRecord | undefined;
  return {
    load: () => kept,
    save(record) {
      kept = record;
    },
    forget() {
      kept = undefined;
    },
  };
}

/** Keeps it in the device's storage under `key`. Where there is no room it lasts as long as this object. */
export function createKeptPutAway(storage: TranscriptStorage, key: string): KeptPutAway {
  const own = createForgetfulPutAway();

  return {
    load() {
      const record = readRecord(storage.getItem(key));
      // Another tab may have put away a later one.
      return record && record.turns.length > 0 ? record : own.load();
    },

    save({ conversationId, turns, shownId }) {
      const record = { conversationId, turns, shownId };
      own.save(record);
      const text = JSON.stringify(record);
      storage.removeItem(key);
      if (text.length > mostCharacters) return;
      try {
        storage.setItem(key, text);
      } catch {
        // Full: it can be brought back for as long as the page is open.
      }
    },

    forget() {
      own.forget();
      storage.removeItem(key);
    },
  };
}
