import type { Clock } from './clock.ts';
import { keepItem, type TranscriptStorage } from './transcript.ts';

/** Stores until when the service takes no further turn, over a reload of the page. */
export type Cooldown = {
  /** Milliseconds since the epoch; null if there is no wait. */
  load(): number | null;
  save(blockedUntil: number): void;
};

/** No limit of the service lasts longer. If the clock is set back, the wait must still end. */
const maxWaitMilliseconds = 25 * 60 * 60 * 1000;

/** Stores the wait under `key` until it is over. */
export function createStoredCooldown(storage: TranscriptStorage, key: string, clock: Pick<Clock, 'now'>): Cooldown {
  return {
    load() {
      const stored = storage.getItem(key);
      if (stored === null) return null;
      const remainingMilliseconds = Number(stored) - clock.now();
      if (remainingMilliseconds > 0 && remainingMilliseconds <= maxWaitMilliseconds) return Number(stored);
      storage.removeItem(key);
      return null;
    },

    save: (blockedUntil) => keepItem(storage, key, String(blockedUntil)),
  };
}
