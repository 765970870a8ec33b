import type { Settings } from './settings.ts';

/** What Enter does in the message field: sends what is typed, or breaks the line. */
export type EnterMeaning = 'send' | 'line';

/** What of a key press decides. */
type KeyPress = { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean };

/** What Enter does by the setting. A keyboard on the screen has no Shift+Enter, so `auto` breaks the line there. */
export function enterMeaning(setting: Settings['enter'], isPointerCoarse: boolean): EnterMeaning {
  if (setting !== 'auto') return setting;
  return isPointerCoarse ? 'line' : 'send';
}

/** Whether the key sends. Enter with Ctrl or Cmd sends always; with Shift or Alt it never does. */
export function sends({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyPress, meaning: EnterMeaning): boolean {
  if (key !== 'Enter' || shiftKey || altKey) return false;
  return ctrlKey || metaKey || meaning === 'send';
}
