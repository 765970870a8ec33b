import * as z from 'zod/mini';
import { isEmptyDraft } from '../chat/draft.ts';
import type { ConversationEntry } from '../device/conversation-records.ts';
import { type ConversationStoreDependencies, createConversationStore } from '../device/conversation-store.ts';
import { nameOf } from '../device/conversation-title.ts';
import type { DeviceStorage } from '../device/device-storage.ts';
import { readUsage } from '../device/site-storage.ts';
import { parseJson } from '../parse-json.ts';
import { createListeners, createStore } from '../store.ts';
import { writeItem } from '../write-item.ts';
import type { ExportedConversations, ImportResult } from './conversation-file.ts';
import type { SearchResult } from './search-conversations.ts';

export type Library = ReturnType<typeof createLibrary>;

export function createLibrary(dependencies: ConversationStoreDependencies) {
  const { clock, siteStorage, storage, prefix } = dependencies;
  const pinned = createPinnedConversations(storage, `${prefix}:pinned`);
  const store = createConversationStore(dependencies);
  const { getState, loaded } = store;
  const exporting = createListeners<[]>();
  const removingAll = createListeners<[]>();

  function isRestorable(id: string): boolean {
    return store.row(id)?.removedAt !== undefined;
  }

  async function exportWhere(isIncluded: (entry: ConversationEntry) => boolean): Promise<ExportedConversations> {
    const { exportConversations } = await import('./conversation-file.ts');
    exporting.notify();
    const { ids } = pinned.getState();
    return exportConversations(store, getState().entries.filter(isIncluded), { pinned: ids, exportedAt: clock.now() });
  }

  loaded.then(() => {
    for (const { id } of store.rows()) if (isRestorable(id)) store.purge(id);
  });

  return {
    ...store,
    pinned,

    isRestorable,

    /** Calls `listener` before each export and count of drafts, so that open conversations can be persisted first. */
    onExporting: exporting.add,
    /** Calls `listener` before all conversations are deleted, so that an open page does not write them again. */
    onRemovingAll: removingAll.add,

    /** A blank name restores the title. */
    rename(id: string, name: string): void {
      const row = store.row(id);
      if (row) store.change({ ...row, name: nameOf(name) || undefined });
    },

    /** Hides a conversation. It can be restored until it is purged, at the latest by the next visit. */
    remove(id: string): void {
      const row = store.row(id);
      if (row) store.change({ ...row, removedAt: clock.now() });
    },

    restore(id: string): void {
      const row = store.row(id);
      if (row && isRestorable(id)) store.change({ ...row, removedAt: undefined });
    },

    /** Deletes a removed conversation permanently. Has no effect if it was restored, for example by another tab. */
    purge(id: string): void {
      if (isRestorable(id)) store.purge(id);
    },

    async removeAll(): Promise<void> {
      removingAll.notify();
      await store.purgeAll();
    },

    /**
     * Ignores case and accents; the latest result is first. Blank words match nothing. Rejects with the reason of an aborted signal.
     */
    async search(words: string, signal?: AbortSignal): Promise<readonly SearchResult[]> {
      const { searchConversations } = await import('./search-conversations.ts');
      await loaded;
      return searchConversations(store, words, signal);
    },

    /** The number of conversations with unsent text. */
    countDrafts(): number {
      exporting.notify();
      return getState().entries.filter(({ id }) => !isEmptyDraft(store.loadDraft(id))).length;
    },

    /** Includes unsent text. Rejects if a conversation cannot be read. */
    exportAll: () => exportWhere(() => true),
    /** Exports only the conversations whose turns are in memory. All unwritten turns are among these. */
    exportOpen: () => exportWhere(({ id }) => store.openTurns().has(id)),
    exportOne: (id: string) => exportWhere((entry) => entry.id === id),

    /**
     * Adds the conversations and turns that this device does not have, shows them, and restores deleted conversations. Rejects
     * only if the chunk cannot be loaded.
     */
    async importFile(text: string): Promise<ImportResult> {
      const { importConversations } = await import('./conversation-file.ts');
      await loaded;
      return importConversations(store, text, pinned.add);
    },

    readUsage: () => readUsage(siteStorage),
  };
}

const pinnedSchema = z.array(z.string());

export function createPinnedConversations(storage: DeviceStorage, key: string) {
  const read = () => ({ ids: pinnedSchema.safeParse(parseJson(storage.getItem(key))).data ?? [] });
  const { getState, subscribe, update } = createStore<{ ids: readonly string[] }>(read());

  function persist(ids: readonly string[]): void {
    update({ ids });
    writeItem(storage, key, JSON.stringify(ids));
  }

  return {
    key,
    getState,
    subscribe,

    toggle(id: string): void {
      const { ids } = read();
      persist(ids.includes(id) ? ids.filter((pinned) => pinned !== id) : [...ids, id]);
    },

    add(ids: readonly string[]): void {
      persist([...new Set([...read().ids, ...ids])]);
    },

    reload: () => update(read()),
  };
}
