import * as z from 'zod/mini';
import { parseJson } from '../parse-json.ts';
import { createStore } from '../store.ts';
import { writeItem } from '../write-item.ts';

/** The choices of each setting that is not a switch, in the order of the settings dialog. */
export const settingChoices = {
  theme: ['system', 'light', 'dark'],
  /** `auto` depends on the pointer of the device. */
  enter: ['auto', 'send', 'line'],
} as const;

// An invalid value falls back to its default without affecting the others.
const settingsSchema = z.object({
  theme: z.catch(z.enum(settingChoices.theme), 'system'),
  enter: z.catch(z.enum(settingChoices.enter), 'auto'),
  /** Whether the conversation list is collapsed on a wide screen. */
  isListFolded: z.catch(z.boolean(), false),
  notifications: z.catch(z.boolean(), false),
});

export type Settings = z.infer<typeof settingsSchema>;

export type SettingsStore = ReturnType<typeof createSettingsStore>;

type SettingsStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** `index.html` reads this key too, before the first paint. */
export const settingsKey = 'advisory-chat:settings';

export function createSettingsStore(storage: SettingsStorage) {
  const read = () => settingsSchema.safeParse(parseJson(storage.getItem(settingsKey))).data ?? settingsSchema.parse({});
  const { getState, subscribe, update } = createStore<Settings>(read());

  return {
    getState,
    subscribe,

    change(changes: Partial<Settings>): void {
      update(changes);
      // If the storage is full, the change lasts until the page is closed.
      writeItem(storage, settingsKey, JSON.stringify(getState()));
    },

    reload: () => update(read()),
  };
}

/** Enter in the message field sends the question or starts a new line. */
export type EnterMeaning = 'send' | 'line';

type KeyPress = { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean };

/** With `auto`, Enter starts a new line on touch devices, because on-screen keyboards have no Shift+Enter. */
export function enterMeaning(setting: Settings['enter'], isPointerCoarse: boolean): EnterMeaning {
  if (setting !== 'auto') return setting;
  return isPointerCoarse ? 'line' : 'send';
}

/** Returns whether the key press sends the question. Ctrl+Enter and Cmd+Enter always do, Shift+Enter and Alt+Enter never do. */
export function isSendKey({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyPress, meaning: EnterMeaning): boolean {
  if (key !== 'Enter' || shiftKey || altKey) return false;
  return ctrlKey || metaKey || meaning === 'send';
}
