import { createListeners } from '../chat/store.ts';
import { type ConversationEntry, titleOf } from '../device/conversation-records.ts';
import { type ConversationStoreParts, createConversationStore } from '../device/conversation-store.ts';
import { usageOf } from '../device/device-storage.ts';
import type { ExportedConversations, Imported } from './conversation-file.ts';
import { createPinned } from './pinned.ts';
import type { Found } from './search-conversations.ts';

/** How long a deleted conversation can be brought back. */
export const undoSeconds = 30;

/** A deleted conversation, and for how long it can still be brought back. */
export type Restorable = { entry: ConversationEntry; milliseconds: number };

export type ConversationList = ReturnType<typeof createConversationList>;

/** The conversations that the device keeps of one person, and what the person does with them. */
export function createConversationList(parts: ConversationStoreParts) {
  const { clock, room, storage, prefix } = parts;
  const pinned = createPinned(storage, `${prefix}:pinned`);
  const store = createConversationStore(parts);
  const { getState, loaded } = store;
  const exporting = createListeners<[]>();
  const removingAll = createListeners<[]>();

  /** For how long what was deleted at `removedAt` can be brought back. */
  function restOf(removedAt: number): number {
    const rest = removedAt + undoSeconds * 1000 - clock.now();
    // A clock that was put back does not keep it for ever.
    return Math.min(Math.max(rest, 0), undoSeconds * 1000);
  }

  /** Removes for good, once their time is over, those that were deleted at `removedAt`. */
  function purgeAfter(removedAt: number): void {
    clock.after(restOf(removedAt), () => {
      for (const row of store.rows()) if (row.removedAt === removedAt) store.purge(row.id);
    });
  }

  /** Hides a conversation at once. It is gone for good after `undoSeconds`, or at the next start after that. */
  function remove(id: string): void {
    const row = store.row(id);
    if (row === undefined) return;
    const removedAt = clock.now();
    store.change({ ...row, removedAt });
    purgeAfter(removedAt);
  }

  async function exportThese(isWanted: (entry: ConversationEntry) => boolean): Promise<ExportedConversations> {
    const { exportConversations } = await import('./conversation-file.ts');
    exporting.tell();
    const { ids } = pinned.getState();
    return exportConversations(store, getState().entries.filter(isWanted), { pinned: ids, exportedAt: clock.now() });
  }

  // Goes on with what was deleted before the page was opened.
  loaded.then(() => {
    for (const { removedAt } of store.rows()) if (removedAt !== undefined) purgeAfter(removedAt);
  });

  return {
    ...store,
    /** Which of them stand at the top of the list. */
    pinned,

    /** Whether this device has anything of this id, be it deleted. */
    isTaken: (id: string): boolean => store.row(id) !== undefined,

    /** Calls `listener` before conversations are exported, which is what is kept by then. */
    onExporting: exporting.add,
    /** Calls `listener` before all conversations are removed: what a page still has of them must not be kept again. */
    onRemovingAll: removingAll.add,

    /** Gives a conversation a name; a blank one takes the name away. */
    rename(id: string, name: string): void {
      const row = store.row(id);
      if (row) store.change({ ...row, name: titleOf(name) || undefined });
    },

    remove,

    /** Brings back a conversation that is not yet gone for good. */
    restore(id: string): void {
      const row = store.row(id);
      if (row?.removedAt !== undefined) store.change({ ...row, removedAt: undefined });
    },

    /** Lets a conversation that can be brought back have its whole time again. Nothing where it is not deleted. */
    stayRestorable(id: string): void {
      // Another tab may have brought it back.
      if (store.row(id)?.removedAt !== undefined) remove(id);
    },

    /** The conversations that can be brought back, the one deleted last at the end. */
    restorable(): readonly Restorable[] {
      const rests = store.rows().flatMap(({ id, title, name, lastActiveAt, removedAt }) => {
        const entry = { id, title, name, lastActiveAt };
        return removedAt === undefined ? [] : [{ entry, removedAt, milliseconds: restOf(removedAt) }];
      });
      return rests
        .filter(({ milliseconds }) => milliseconds > 0)
        .sort((one, other) => one.removedAt - other.removedAt)
        .map(({ entry, milliseconds }) => ({ entry, milliseconds }));
    },

    /** Removes for good what can be brought back. */
    forgetRestorable(): void {
      for (const { id, removedAt } of store.rows()) if (removedAt !== undefined) store.purge(id);
    },

    /** Removes all conversations for good, and everything that is typed in them. */
    async removeAll(): Promise<void> {
      removingAll.tell();
      await store.purgeAll();
    },

    /**
     * The conversations in whose name, title or text `words` occur, whatever their case and accents, the latest first.
     * Rejects with the signal's reason once that is aborted. Blank words find nothing.
     */
    async search(words: string, signal?: AbortSignal): Promise<readonly Found[]> {
      const { searchConversations } = await import('./search-conversations.ts');
      await loaded;
      return searchConversations(store, words, signal);
    },

    /** Everything that can be read, what is typed included. */
    exportAll: () => exportThese(() => true),
    exportOne: (id: string) => exportThese((entry) => entry.id === id),

    /** Takes in a file that was exported. What is on this device stays as it is; what it lacks is added. Never rejects. */
    async importFile(text: string): Promise<Imported> {
      const { importConversations } = await import('./conversation-file.ts');
      await loaded;
      return importConversations(store, text, pinned.add);
    },

    usage: () => usageOf(room),
  };
}
