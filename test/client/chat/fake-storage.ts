import type { TranscriptStorage } from '../../../client/chat/transcript.ts';

export type FakeStorage = TranscriptStorage & { items: Map<string, string> };

/** A device's storage that refuses values longer than `mostCharacters`, as a full one does. */
export function createFakeStorage(mostCharacters = Number.POSITIVE_INFINITY): FakeStorage {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, value) {
      if (value.length > mostCharacters) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      items.set(key, value);
    },
    removeItem: (key) => void items.delete(key),
  };
}
