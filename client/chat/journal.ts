import { parseJson } from '../parse-json.ts';
import type { StoreChanges } from './conversation-store.ts';
import { type DeviceItems, keysBeginning } from './device-items.ts';
import { readChanges } from './store-rows.ts';

/**
 * What a page has not yet written when it may be gone the next moment, in a storage that writes at once. The next page folds
 * it in. Each page has a journal of its own, under `prefix` and its `pageId`.
 */
export function createJournal(storage: DeviceItems, prefix: string, pageId: string) {
  const ownKey = `${prefix}:${pageId}`;

  return {
    /** Keeps these changes, or forgets what was kept where there are none. Does nothing where the storage is full. */
    keep(changes: StoreChanges | undefined): void {
      if (changes === undefined) return storage.removeItem(ownKey);
      try {
        storage.setItem(ownKey, JSON.stringify(changes));
      } catch {
        storage.removeItem(ownKey);
      }
    },

    /** What pages before this one have left, by their keys. */
    left(): { key: string; changes: StoreChanges }[] {
      const keys = keysBeginning(storage, `${prefix}:`).filter((key) => key !== ownKey);
      return keys.map((key) => ({ key, changes: readChanges(parseJson(storage.getItem(key))) }));
    },

    forget: (key: string) => storage.removeItem(key),
  };
}

export type Journal = ReturnType<typeof createJournal>;
