import type { Settings } from './settings.ts';

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
