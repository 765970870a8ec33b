import type { StoreChanges } from './conversation-store.ts';

/** Remembers what changes while something is being read from the store: it is later than what is read. */
export function createMissedChanges() {
  const missed: StoreChanges[] = [];
  let readers = 0;

  return {
    add(changes: StoreChanges): void {
      if (readers > 0) missed.push(changes);
    },

    /** Reads, and gives what has changed since the beginning of that. */
    async during<Read>(read: () => Promise<Read>): Promise<{ kept: Read; since: readonly StoreChanges[] }> {
      const start = missed.length;
      readers += 1;
      try {
        return { kept: await read(), since: missed.slice(start) };
      } finally {
        readers -= 1;
        if (readers === 0) missed.length = 0;
      }
    },
  };
}
