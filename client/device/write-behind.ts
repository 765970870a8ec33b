import type { Clock } from '../chat/clock.ts';
import { createPaced } from '../chat/paced.ts';
import { type ConversationStore, isNoRoom, type StoreChanges } from './conversation-store.ts';
import { createPendingChanges } from './pending-changes.ts';

type WriteBehindParts = {
  store: Promise<ConversationStore>;
  clock: Clock;
  /** Told after every write whether there was room for it. */
  onRoom: (room: 'enough' | 'full') => void;
  /** Told when everything has been written. */
  onWritten: () => void;
};

const retryMilliseconds = 5_000;

/**
 * Writes changes into a store, one write at a time. What could not be written waits in memory, and is tried again every five
 * seconds and with the next change.
 */
export function createWriteBehind({ store, clock, onRoom, onWritten }: WriteBehindParts) {
  const waiting = createPendingChanges();
  const retrySoon = createPaced(clock, retryMilliseconds, flush);
  let writing: StoreChanges | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;

  /** Resolves when nothing waits any more, or what waits cannot be written now. Never rejects. */
  function flush(): Promise<void> {
    retrySoon.callOff();
    running ??= writeAll().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function writeAll(): Promise<void> {
    while (!waiting.isEmpty() && !isClosed) {
      const changes = waiting.read();
      waiting.clear();
      writing = changes;
      try {
        await (await store).write(changes);
        writing = undefined;
        onRoom('enough');
      } catch (error) {
        putBack(changes);
        if (isClosed) return;
        if (isNoRoom(error)) onRoom('full');
        retrySoon.ask();
        return;
      }
    }
    if (!isClosed) onWritten();
  }

  /** What has come since is later. */
  function putBack(changes: StoreChanges): void {
    const later = waiting.read();
    waiting.clear();
    waiting.add(changes);
    waiting.add(later);
    writing = undefined;
  }

  return {
    write(changes: StoreChanges): void {
      if (isClosed) return;
      waiting.add(changes);
      flush();
    },

    /** What is not written for certain; undefined where everything is. */
    unwritten(): StoreChanges | undefined {
      const all = createPendingChanges();
      if (writing) all.add(writing);
      all.add(waiting.read());
      return all.isEmpty() ? undefined : all.read();
    },

    settled: flush,

    /** Forgets what waits. */
    forget: () => waiting.clear(),

    /** Writes nothing more, and forgets what waits. */
    close(): void {
      isClosed = true;
      retrySoon.callOff();
      waiting.clear();
    },
  };
}
