import { parseJson } from '../parse-json.ts';
import { type Clock, systemClock } from './clock.ts';
import { type KeyValueStorage, writeItem } from './transcript.ts';

/** Persists the time until which the service refuses turns. */
export type Cooldown = {
  /** The seconds that remain; null if there is no wait. */
  load(): number | null;
  save(seconds: number): void;
};

/**
 * Stores the end of the wait under `key` until it has passed. The end is a time of the wall clock, which can be set back before it is
 * loaded, so the length of the wait is stored too: `load` never returns more.
 */
export function createStoredCooldown(
  storage: KeyValueStorage,
  key: string,
  clock: Pick<Clock, 'now'> = systemClock,
): Cooldown {
  function save(seconds: number): void {
    writeItem(storage, key, JSON.stringify([clock.now() + seconds * 1000, seconds]));
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
  return typeof until === 'number' && typeof seconds === 'number' ? { until, seconds } : undefined;
}
