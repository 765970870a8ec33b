import { type Clock, systemClock } from './clock.ts';
import { type TranscriptStorage, writeItem } from './transcript.ts';

/** Persists until when the service takes no further turn. */
export type Cooldown = {
  /** Milliseconds since the epoch; null if there is no wait. */
  load(): number | null;
  save(blockedUntil: number): void;
};

/** This time exceeds every limit of the service, so a longer wait means that the device's clock was set back. */
const maxWaitMilliseconds = 25 * 60 * 60 * 1000;

/** Stores the time under `key` until it has passed. */
export function createStoredCooldown(
  storage: TranscriptStorage,
  key: string,
  clock: Pick<Clock, 'now'> = systemClock,
): Cooldown {
  return {
    load() {
      const stored = storage.getItem(key);
      if (stored === null) return null;
      const remainingMilliseconds = Number(stored) - clock.now();
      if (remainingMilliseconds > 0 && remainingMilliseconds <= maxWaitMilliseconds) return Number(stored);
      storage.removeItem(key);
      return null;
    },

    save: (blockedUntil) => writeItem(storage, key, String(blockedUntil)),
  };
}
