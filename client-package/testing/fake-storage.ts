import type { KeyValueStorage } from '../../client/chat/transcript.ts';

/** A part of the `localStorage` API, with the contents in `items`. */
export type FakeStorage = KeyValueStorage & {
  key(index: number): string | null;
  readonly length: number;
  items: Map<string, string>;
};

/** Creates an in-memory storage that throws `QuotaExceededError` if its values exceed `maxCharacters` in total. */
export function createFakeStorage(maxCharacters = Number.POSITIVE_INFINITY): FakeStorage {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, value) {
      let characters = value.length;
      for (const [otherKey, other] of items) if (otherKey !== key) characters += other.length;
      if (characters > maxCharacters) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      items.set(key, value);
    },
    removeItem: (key) => void items.delete(key),
    key: (index) => [...items.keys()][index] ?? null,
    get length() {
      return items.size;
    },
  };
}
