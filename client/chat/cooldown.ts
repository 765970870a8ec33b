import { maxRetryAfterSeconds } from '../../shared/retry.ts';
import { parseJson } from '../parse-json.ts';
import { writeItem } from '../write-item.ts';
import { type Clock, systemClock } from './clock.ts';
import type { KeyValueStorage } from './transcript.ts';

/** Persists the time until which the service refuses turns. */
export type Cooldown = {
  /** The seconds that remain; null if there is no wait. */
  load(): number | null;
  /** `0` lifts the wait. */
  save(seconds: number): void;
};

/**
 * Stores the end of the wait under `key` until it has passed. The end is a time of the wall clock, which can be set back before it is
 * loaded, so the length of the wait is stored too: `load` never returns more. A wait of more than 25 hours is ignored.
 */
export function createStoredCooldown(
  storage: KeyValueStorage,
  key: string,
  clock: Pick<Clock, 'now'> = systemClock,
): Cooldown {
  function save(seconds: number): void {
    if (seconds > 0) writeItem(storage, key, JSON.stringify([clock.now() + seconds * 1000, seconds]));
    else storage.removeItem(key);
  }

  return {
    load() {
      const wait = readWait(storage.getItem(key));
      const remainingSeconds = wait === undefined ? 0 : (wait.until - clock.now()) / 1000;
      if (wait === undefined || remainingSeconds <= 0) {
        storage.removeItem(key);
        return null;
      }
      if (remainingSeconds <= wait.seconds) return remainingSeconds;
      // The clock was set back. Storing a new end makes the next load continue this wait.
      save(wait.seconds);
      return wait.seconds;
    },

    save,
  };
}

function readWait(item: string | null): { until: number; seconds: number } | undefined {
  const stored = parseJson(item);
  if (!Array.isArray(stored)) return undefined;
  const [until, seconds] = stored;
  const isValid = typeof until === 'number' && typeof seconds === 'number' && seconds <= maxRetryAfterSeconds;
  return isValid ? { until, seconds } : undefined;
}
