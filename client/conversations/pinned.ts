import * as z from 'zod/mini';
import { createStore } from '../chat/store.ts';
import { keepItem } from '../chat/transcript.ts';
import type { DeviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';

const pinnedSchema = z.array(z.string());

export type Pinned = ReturnType<typeof createPinned>;

/** Which conversations stand at the top of the list, by their ids, as `storage` keeps them under `key`. */
export function createPinned(storage: DeviceStorage, key: string) {
  const read = () => ({ ids: pinnedSchema.safeParse(parseJson(storage.getItem(key))).data ?? [] });
  const { getState, subscribe, update } = createStore<{ ids: readonly string[] }>(read());

  function keep(ids: readonly string[]): void {
    update({ ids });
    keepItem(storage, key, JSON.stringify(ids));
  }

  return {
    key,
    getState,
    subscribe,

    /** Puts a conversation at the top, or back to its day. */
    toggle(id: string): void {
      const { ids } = read();
      keep(ids.includes(id) ? ids.filter((pinned) => pinned !== id) : [...ids, id]);
    },

    /** Puts these at the top, beside those that are. */
    add(ids: readonly string[]): void {
      keep([...new Set([...read().ids, ...ids])]);
    },

    /** Takes in what another tab has pinned. */
    takeIn: () => update(read()),
  };
}
