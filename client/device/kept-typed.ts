import { readTyped } from '../chat/kept.ts';
import { isNothing, nothingTyped, type Typed } from '../chat/typed.ts';
import { type DeviceStorage, keysBeginning } from './device-storage.ts';

const ending = ':typed';

/**
 * What is typed in the conversations of one person and not sent, in a storage that writes at once: it changes with every key.
 * Each tab has its own in mind; the storage has what was typed last.
 */
export function createKeptTyped(storage: DeviceStorage, prefix: string) {
  const beginning = `${prefix}:conversation:`;
  const keyOf = (id: string) => `${beginning}${id}${ending}`;
  let isClosed = false;

  return {
    load: (id: string): Typed => readTyped(storage.getItem(keyOf(id))) ?? nothingTyped,

    /** Keeps it; nothing where the storage is full. */
    save(id: string, typed: Typed): void {
      if (isClosed) return;
      const text = isNothing(typed) ? null : JSON.stringify(typed);
      if (text === storage.getItem(keyOf(id))) return;
      try {
        if (text === null) storage.removeItem(keyOf(id));
        else storage.setItem(keyOf(id), text);
      } catch {
        // Full: it stays in the message field, for as long as the page is open.
      }
    },

    remove: (id: string) => storage.removeItem(keyOf(id)),

    /** Keeps nothing more. */
    close(): void {
      isClosed = true;
    },

    /** The conversations in which something is typed. */
    ids(): string[] {
      const keys = keysBeginning(storage, beginning).filter((key) => key.endsWith(ending));
      return keys.map((key) => key.slice(beginning.length, -ending.length));
    },
  };
}

export type KeptTyped = ReturnType<typeof createKeptTyped>;
