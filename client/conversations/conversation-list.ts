import { createListeners } from '../chat/store.ts';
import type { Transcript } from '../chat/transcript.ts';
import { type ConversationEntry, titleOf } from '../device/conversation-records.ts';
import { type ConversationStoreParts, createConversationStore, type StoreState } from '../device/conversation-store.ts';
import { type RoomUsed, usageOf } from '../device/device-storage.ts';
import type { ExportedConversations, Imported } from './conversation-file.ts';
import { createPinned, type Pinned } from './pinned.ts';
import type { Found } from './search-conversations.ts';

export type Usage = RoomUsed & { conversations: number };

/** How long a deleted conversation can be brought back. */
export const undoSeconds = 30;

/** A deleted conversation, and for how long it can still be brought back. */
export type Restorable = { entry: ConversationEntry; milliseconds: number };

/** The conversations that the device keeps of one person. */
export type ConversationList = {
  getState(): StoreState;
  /** Which of them stand at the top of the list. */
  pinned: Pinned;
  /** Calls `listener` after every change of the state until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** Resolves when the device has been read for the first time. Never rejects. */
  loaded: Promise<void>;

  /** Hears what other tabs do, and tells them what this one does, until the returned function is called. */
  connect(): () => void;

  /** Reads a conversation. Null where this device has none of this id, or the person has deleted it. Never rejects. */
  open(id: string): Promise<Transcript | null>;
  /** A new conversation. It is in the list for as long as there is anything in it. */
  begin(id: string): Transcript;
  /** Whether the device has a conversation of this id that the person has not deleted. */
  isKnown(id: string): boolean;
  /** Whether this device has anything of this id, be it deleted. */
  isTaken(id: string): boolean;
  /** The conversation is no longer open on this page. */
  release(id: string): void;
  /** Calls `listener` with the id of a conversation that another tab has changed, once its transcript has that. */
  onChangeElsewhere(listener: (id: string) => void): () => void;
  /** Calls `listener` when the person has signed out in another tab. */
  onForgotten(listener: () => void): () => void;
  /** Calls `listener` before conversations are exported, which is what is kept by then. */
  onExporting(listener: () => void): () => void;
  /** Calls `listener` before all conversations are removed: what a page still has of them must not be kept again. */
  onRemovingAll(listener: () => void): () => void;

  /** Gives a conversation a name; a blank one takes the name away. */
  rename(id: string, name: string): void;
  /** Hides a conversation at once. It is gone for good after `undoSeconds`, or at the next start after that. */
  remove(id: string): void;
  /** Brings back a conversation that is not yet gone for good. */
  restore(id: string): void;
  /** Lets a conversation that can be brought back have its whole time again. Nothing where it is not deleted. */
  stayRestorable(id: string): void;
  /** The conversations that can be brought back, the one deleted last at the end. */
  restorable(): readonly Restorable[];
  /** Removes for good what can be brought back. */
  forgetRestorable(): void;
  /** Removes all conversations for good, and everything that is typed in them. */
  removeAll(): Promise<void>;

  /**
   * The conversations in whose name, title or text `words` occur, whatever their case and accents, the latest first.
   * Rejects with the signal's reason once that is aborted. Blank words find nothing.
   */
  search(words: string, signal?: AbortSignal): Promise<readonly Found[]>;

  /** Everything that can be read, what is typed included. */
  exportAll(): Promise<ExportedConversations>;
  exportOne(id: string): Promise<ExportedConversations>;
  /** Takes in a file that was exported. What is on this device stays as it is; what it lacks is added. Never rejects. */
  importFile(text: string): Promise<Imported>;
  usage(): Promise<Usage>;

  /** Hands over at once what is not written yet: the page can be left the next moment. */
  keep(): void;
  /** Reads the device anew: the page was away while another tab may have changed it. */
  takeIn(): Promise<void>;
  /** Forgets what is on the page and writes nothing more: the person has signed out. */
  close(): void;
};

/** What a person does with the conversations that the device keeps of them. */
export function createConversationList(parts: ConversationStoreParts): ConversationList {
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
      for (const row of store.rows()) if (row.removedAt === removedAt) store.remove(row.id);
    });
  }

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
    getState,
    pinned,
    loaded,
    subscribe: store.subscribe,
    connect: store.connect,
    open: store.open,
    begin: store.begin,
    isKnown: store.isKnown,
    isTaken: (id) => store.row(id) !== undefined,
    release: store.release,
    onChangeElsewhere: store.onChangeElsewhere,
    onForgotten: store.onForgotten,
    keep: store.keep,
    takeIn: store.takeIn,
    close: store.close,
    onExporting: exporting.add,
    onRemovingAll: removingAll.add,

    rename(id, name) {
      const row = store.row(id);
      if (row) store.change({ ...row, name: titleOf(name) || undefined });
    },

    remove,

    restore(id) {
      const row = store.row(id);
      if (row?.removedAt !== undefined) store.change({ ...row, removedAt: undefined });
    },

    stayRestorable(id) {
      // Another tab may have brought it back.
      if (store.row(id)?.removedAt !== undefined) remove(id);
    },

    restorable() {
      const rests = store.rows().flatMap(({ id, title, name, lastActiveAt, removedAt }) => {
        const entry = { id, title, name, lastActiveAt };
        return removedAt === undefined ? [] : [{ entry, removedAt, milliseconds: restOf(removedAt) }];
      });
      return rests
        .filter(({ milliseconds }) => milliseconds > 0)
        .sort((one, other) => one.removedAt - other.removedAt)
        .map(({ entry, milliseconds }) => ({ entry, milliseconds }));
    },

    forgetRestorable() {
      for (const { id, removedAt } of store.rows()) if (removedAt !== undefined) store.remove(id);
    },

    async removeAll() {
      removingAll.tell();
      await store.removeAll();
    },

    async search(words, signal) {
      const { searchConversations } = await import('./search-conversations.ts');
      await loaded;
      return searchConversations(store, words, signal);
    },

    exportAll: () => exportThese(() => true),
    exportOne: (id) => exportThese((entry) => entry.id === id),

    async importFile(text) {
      const { importConversations } = await import('./conversation-file.ts');
      await loaded;
      return importConversations(store, text, pinned.add);
    },

    usage: async () => ({ conversations: getState().entries.length, ...(await usageOf(room)) }),
  };
}
