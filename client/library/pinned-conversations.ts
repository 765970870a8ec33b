import * as z from 'zod/mini';
import type { DeviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';
import { createStore } from '../store.ts';
import { writeItem } from '../write-item.ts';

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
