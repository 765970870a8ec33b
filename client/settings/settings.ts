import * as z from 'zod/mini';
import { createStore } from '../chat/store.ts';
import { parseJson } from '../parse-json.ts';

/** What can be set on a device, and to what, in the order in which it is offered. */
export const settingChoices = {
  theme: ['system', 'light', 'dark'],
  textSize: ['small', 'normal', 'large'],
  /** What the Enter key does in the message field; `auto` goes by the device. */
  enter: ['auto', 'send', 'line'],
  /** When the window goes along with a reply: once somebody is at its end, from its beginning, or not at all. */
  follow: ['end', 'always', 'never'],
} as const;

/** How wide the list of conversations can be made, in rem. */
export const listWidths = { least: 14, most: 30 } as const;

// A value that is none of ours is as good as none: the others still hold.
const settingsSchema = z.object({
  theme: z.catch(z.enum(settingChoices.theme), 'system'),
  textSize: z.catch(z.enum(settingChoices.textSize), 'normal'),
  enter: z.catch(z.enum(settingChoices.enter), 'auto'),
  follow: z.catch(z.enum(settingChoices.follow), 'end'),
  /** Whether the list of conversations is folded away on a wide screen, and how wide it is in rem. */
  isListFolded: z.catch(z.boolean(), false),
  listWidth: z.catch(z.number().check(z.minimum(listWidths.least), z.maximum(listWidths.most)), 18),
  /** Whether the browser tells of a reply that has finished while the page was hidden. */
  notifications: z.catch(z.boolean(), false),
});

export type Settings = z.infer<typeof settingsSchema>;

export type SettingsStore = ReturnType<typeof createSettings>;

/** Where settings are kept: `localStorage`, or anything alike. */
type SettingsStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** `index.html` reads this key too, before the first paint. */
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
    reload: () => update(read()),
  };
}
