import { createListeners } from '../chat/store.ts';
import { type ConversationEntry, titleOf } from '../device/conversation-records.ts';
import { type ConversationStoreParts, createConversationStore } from '../device/conversation-store.ts';
import { usageOf } from '../device/device-storage.ts';
import type { ExportedConversations, Imported } from './conversation-file.ts';
import { createPinned } from './pinned.ts';
import type { Found } from './search-conversations.ts';

export type ConversationList = ReturnType<typeof createConversationList>;

/** The conversations that the device keeps of one person, and what the person does with them. */
export function createConversationList(parts: ConversationStoreParts) {
  const { clock, room, storage, prefix } = parts;
  const pinned = createPinned(storage, `${prefix}:pinned`);
  const store = createConversationStore(parts);
  const { getState, loaded } = store;
  const exporting = createListeners<[]>();
  const removingAll = createListeners<[]>();

  /** Whether the user removed this conversation and it is still on the device. */
  function isRestorable(id: string): boolean {
    return store.row(id)?.removedAt !== undefined;
  }

  async function exportThese(isWanted: (entry: ConversationEntry) => boolean): Promise<ExportedConversations> {
    const { exportConversations } = await import('./conversation-file.ts');
    exporting.tell();
    const { ids } = pinned.getState();
    return exportConversations(store, getState().entries.filter(isWanted), { pinned: ids, exportedAt: clock.now() });
  }

  loaded.then(() => {
    for (const { id } of store.rows()) if (isRestorable(id)) store.purge(id);
  });

  return {
    ...store,
    /** Which of them stand at the top of the list. */
    pinned,

    isRestorable,

    /** Calls `listener` before conversations are exported, which is what is kept by then. */
    onExporting: exporting.add,
    /** Calls `listener` before all conversations are removed: what a page still has of them must not be kept again. */
    onRemovingAll: removingAll.add,

    /** Gives a conversation a name; a blank one takes the name away. */
    rename(id: string, name: string): void {
      const row = store.row(id);
      if (row) store.change({ ...row, name: titleOf(name) || undefined });
    },

    /** Hides a conversation. It can be restored until it is purged, which the next visit does at the latest. */
    remove(id: string): void {
      const row = store.row(id);
      if (row) store.change({ ...row, removedAt: clock.now() });
    },

    /** Restores a conversation that was removed and not purged. */
    restore(id: string): void {
      const row = store.row(id);
      if (row && isRestorable(id)) store.change({ ...row, removedAt: undefined });
    },

    /** Deletes a removed conversation permanently. Does nothing if it was restored meanwhile, by another tab for example. */
    purge(id: string): void {
      if (isRestorable(id)) store.purge(id);
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
