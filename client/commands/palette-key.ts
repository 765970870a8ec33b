type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/**
 * Whether the key opens the commands: Ctrl+K, or Cmd+K on a keyboard of Apple's, where Ctrl+K deletes in a text field. On a
 * keyboard without Latin letters it is the key in the place of K.
 */
export function isPaletteKey(press: KeyPress, isApple: boolean): boolean {
  const { key, code, ctrlKey, metaKey, shiftKey, altKey } = press;
  if (shiftKey || altKey || ctrlKey === isApple || metaKey !== isApple) return false;
  return key.toLowerCase() === 'k' || (code === 'KeyK' && !/^[a-z]$/i.test(key));
}
