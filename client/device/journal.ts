import { parseJson } from '../parse-json.ts';
import { noChanges, type StoreChanges } from './conversation-store.ts';
import { type DeviceStorage, keysBeginning } from './device-storage.ts';
import { readChanges } from './store-rows.ts';

/**
 * What a page has not yet written when it may be gone the next moment, in a storage that writes at once. The next page folds
 * it in. Each page has a journal of its own, under `prefix` and its `pageId`.
 */
export function createJournal(storage: DeviceStorage, prefix: string, pageId: string) {
  const ownKey = `${prefix}:${pageId}`;

  function fits(changes: StoreChanges): boolean {
    try {
      storage.setItem(ownKey, JSON.stringify(changes));
      return true;
    } catch {
      return false;
    }
  }

  return {
    /** Keeps these changes, or as much of them as there is room for: the last turn at least, which may be a running one. */
    keep(changes: StoreChanges | undefined): void {
      if (changes !== undefined && (fits(changes) || fits(lastOf(changes)))) return;
      storage.removeItem(ownKey);
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

function lastOf({ conversations, turns }: StoreChanges): StoreChanges {
  const last = turns.at(-1);
  const own = conversations.filter(({ id }) => id === last?.conversation);
  return { ...noChanges, conversations: own, turns: last ? [last] : [] };
}
