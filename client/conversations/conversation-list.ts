import { createListeners } from '../chat/listeners.ts';
import { type ConversationEntry, titleOf } from '../device/conversation-entry.ts';
import { noChanges } from '../device/conversation-store.ts';
import { usageOf } from '../device/device-room.ts';
import { createKeptConversations, type KeptConversationsParts } from '../device/kept-conversations.ts';
import type { ConversationList } from './conversations.ts';
import { createDeletion } from './deletion.ts';
import type { ExportedConversations } from './exported-conversations.ts';

/** What a person does with the conversations that the device keeps of them. */
export function createConversationList(parts: KeptConversationsParts): ConversationList {
  const kept = createKeptConversations(parts);
  const { getState, loaded, rows, change } = kept;
  const deletion = createDeletion(kept);
  const exporting = createListeners<[]>();
  const removingAll = createListeners<[]>();

  loaded.then(deletion.resume);

  /** What takes conversations off the device and onto it: loaded when it is asked for. */
  async function exchange() {
    const { createExchange } = await import('./exchange.ts');
    return createExchange({ ...kept, store: await kept.store });
  }

  async function exportThese(isWanted: (entry: ConversationEntry) => boolean): Promise<ExportedConversations> {
    const { exportThese } = await exchange();
    exporting.tell();
    return exportThese(getState().entries.filter(isWanted));
  }

  return {
    getState,
    loaded,
    subscribe: kept.subscribe,
    connect: kept.connect,
    open: kept.open,
    begin: kept.begin,
    isKnown: kept.isKnown,
    release: kept.release,
    onChangeElsewhere: kept.onChangeElsewhere,
    onForgotten: kept.onForgotten,
    keep: kept.keep,
    takeIn: kept.takeIn,
    close: kept.close,
    onExporting: exporting.add,
    onRemovingAll: removingAll.add,

    rename(id, name) {
      const row = rows.get(id);
      if (row) change({ ...noChanges, conversations: [{ ...row, name: titleOf(name) || undefined }] });
    },

    remove: deletion.remove,
    restore: deletion.restore,
    stayRestorable: deletion.stay,
    restorable: deletion.restorable,

    async removeAll() {
      removingAll.tell();
      await kept.removeAll();
    },

    async search(words, signal) {
      const { searchConversations } = await import('./search-conversations.ts');
      await loaded;
      const shownIds = new Map(rows.all().map(({ id, shownId }) => [id, shownId]));
      return searchConversations(await kept.store, shownIds, getState().entries, words, signal);
    },

    exportAll: () => exportThese(() => true),
    exportOne: (id) => exportThese((entry) => entry.id === id),
    exportDamaged: async () => (await exchange()).exportDamaged(),

    async importFile(text) {
      await loaded;
      await kept.settled();
      const imported = await (await exchange()).importFile(text);
      await kept.readEverywhere();
      return imported;
    },

    usage: async () => ({ conversations: getState().entries.length, ...(await usageOf(parts.room)) }),
  };
}
