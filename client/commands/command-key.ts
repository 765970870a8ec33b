const isApple = /^(?:Mac|iP)/.test(navigator.platform);

/** The names of the platform's keys, as parameters for messages. */
export const keyNames = {
  command: isApple ? '⌘' : 'Ctrl',
} as const;

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** A shortcut: Ctrl and a letter, or Cmd and a letter on Apple keyboards, with Shift if `shift` is true. */
type CommandKey = { letter: string; shift?: boolean };

/**
 * Returns whether `press` is the shortcut. On Apple keyboards, Ctrl and a letter edit text, so they are not shortcuts. On a
 * keyboard without Latin letters, the key at the position of the letter counts.
 */
export function isCommandKey(press: KeyPress, { letter, shift = false }: CommandKey, hasCommand = isApple): boolean {
  const { key, code, ctrlKey, metaKey, shiftKey, altKey } = press;
  if (shiftKey !== shift || altKey || ctrlKey === hasCommand || metaKey !== hasCommand) return false;
  return key.toLowerCase() === letter || (code === `Key${letter.toUpperCase()}` && !/^[a-z]$/i.test(key));
}
