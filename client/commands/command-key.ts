/** Whether the keyboard of this device has a Cmd key. */
const isApple = /^(?:Mac|iP)/.test(navigator.platform);

/** How keys are called on this device's keyboard. */
export const keyNames = {
  /** The key that makes a shortcut of another one. */
  command: isApple ? '⌘' : 'Ctrl',
} as const;

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** A letter that does something together with Ctrl, or with Cmd on a keyboard of Apple's; and with Shift where it says so. */
export type CommandKey = { letter: string; shift?: boolean };

/**
 * Whether `press` is this key. On a keyboard of Apple's Ctrl and a letter edit a text field, and are never taken. On a keyboard
 * without Latin letters it is the key in the place of the letter.
 */
export function isCommandKey(press: KeyPress, { letter, shift = false }: CommandKey, hasCommand = isApple): boolean {
  const { key, code, ctrlKey, metaKey, shiftKey, altKey } = press;
  if (shiftKey !== shift || altKey || ctrlKey === hasCommand || metaKey !== hasCommand) return false;
  return key.toLowerCase() === letter || (code === `Key${letter.toUpperCase()}` && !/^[a-z]$/i.test(key));
}
