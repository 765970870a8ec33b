import * as z from 'zod/mini';
import { createStore } from '../chat/store.ts';
import { parseJson } from '../parse-json.ts';

/** The choices of each setting, in the order of the settings dialog. */
export const settingChoices = {
  theme: ['system', 'light', 'dark'],
  textSize: ['small', 'normal', 'large'],
  /** What the Enter key does in the message field; `auto` depends on the pointer of the device. */
  enter: ['auto', 'send', 'line'],
  /** When the window scrolls with a growing reply: once the user is at its end, from its start, or never. */
  follow: ['end', 'always', 'never'],
} as const;

/** Limits of the width of the conversation list, in rem. */
export const listWidths = { min: 14, max: 30 } as const;

// An invalid value falls back to its default without affecting the others.
const settingsSchema = z.object({
  theme: z.catch(z.enum(settingChoices.theme), 'system'),
  textSize: z.catch(z.enum(settingChoices.textSize), 'normal'),
  enter: z.catch(z.enum(settingChoices.enter), 'auto'),
  follow: z.catch(z.enum(settingChoices.follow), 'end'),
  /** Whether the conversation list is collapsed on a wide screen. */
  isListFolded: z.catch(z.boolean(), false),
  /** The width of the conversation list in rem. */
  listWidth: z.catch(z.number().check(z.minimum(listWidths.min), z.maximum(listWidths.max)), 18),
  /** Whether to notify when a reply finishes while the page is hidden. */
  notifications: z.catch(z.boolean(), false),
});

export type Settings = z.infer<typeof settingsSchema>;

export type SettingsStore = ReturnType<typeof createSettings>;

type SettingsStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** `index.html` reads this key too, before the first paint. */
export const settingsKey = 'advisory-chat:settings';

/** Provides the settings of this device as an observable store. */
export function createSettings(storage: SettingsStorage) {
  const read = () => settingsSchema.safeParse(parseJson(storage.getItem(settingsKey))).data ?? settingsSchema.parse({});
  const { getState, subscribe, update } = createStore<Settings>(read());

  return {
    getState,
    subscribe,

    change(changes: Partial<Settings>): void {
      update(changes);
      try {
        storage.setItem(settingsKey, JSON.stringify(getState()));
      } catch {
        // The storage is full, so the change lasts until the page is closed.
      }
    },

    /** Applies the changes of another tab. */
    reload: () => update(read()),
  };
}
