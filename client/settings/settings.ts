import * as z from 'zod/mini';
import { createStore } from '../chat/store.ts';
import { parseJson } from '../parse-json.ts';

/** What can be set on a device, and to what; what comes first holds where nothing is set. */
export const settingChoices = {
  theme: ['system', 'light', 'dark'],
  textSize: ['normal', 'small', 'large'],
  /** What the Enter key does in the message field; `auto` goes by the device. */
  enter: ['auto', 'send', 'line'],
} as const;

// A value that is none of ours is as good as none: the others still hold.
const settingsSchema = z.object({
  theme: z.catch(z.enum(settingChoices.theme), 'system'),
  textSize: z.catch(z.enum(settingChoices.textSize), 'normal'),
  enter: z.catch(z.enum(settingChoices.enter), 'auto'),
  /** Whether the browser tells of a reply that has finished while the page was hidden. */
  notifications: z.catch(z.boolean(), false),
});

export type Settings = z.infer<typeof settingsSchema>;

export type SettingsStore = ReturnType<typeof createSettings>;

/** Where settings are kept: `localStorage`, or anything alike. */
type SettingsStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** `public/first-look.js` knows this key as well. */
export const settingsKey = 'advisory-chat:settings';

/** The settings of this device, as something to watch. */
export function createSettings(storage: SettingsStorage) {
  const read = () => settingsSchema.safeParse(parseJson(storage.getItem(settingsKey))).data ?? settingsSchema.parse({});
  const { getState, subscribe, update } = createStore<Settings>(read());

  return {
    getState,
    subscribe,

    /** Sets some of them, and keeps all. */
    change(changes: Partial<Settings>): void {
      update(changes);
      try {
        storage.setItem(settingsKey, JSON.stringify(getState()));
      } catch {
        // Full: they hold for as long as the page is open.
      }
    },

    /** Takes in what another tab has set. */
    takeIn: () => update(read()),
  };
}
