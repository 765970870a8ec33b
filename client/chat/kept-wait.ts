import type { Clock } from './clock.ts';
import { keepItem, type TranscriptStorage } from './transcript.ts';

/** Remembers until when the service takes no further turn, so that a reload does not forget it. */
export type KeptWait = {
  /** Milliseconds since the epoch; null where there is nothing to wait for. */
  load(): number | null;
  save(blockedUntil: number): void;
};

/** No limit of the service lasts longer. A clock that was set back must not keep anybody waiting for ever. */
const maxWaitMilliseconds = 25 * 60 * 60 * 1000;

/** Keeps the wait under `key` until it is over. */
export function createKeptWait(storage: TranscriptStorage, key: string, clock: Pick<Clock, 'now'>): KeptWait {
  return {
    load() {
      const kept = storage.getItem(key);
      if (kept === null) return null;
      const remainingMilliseconds = Number(kept) - clock.now();
      if (remainingMilliseconds > 0 && remainingMilliseconds <= maxWaitMilliseconds) return Number(kept);
      storage.removeItem(key);
      return null;
    },

    save: (blockedUntil) => keepItem(storage, key, String(blockedUntil)),
  };
}
