/** Whether the keyboard of this device has a Cmd key. */
export const isApple = /^(?:Mac|iP)/.test(navigator.platform);

/** How keys are called on this device's keyboard. */
export const keyNames = {
  /** The key that makes a shortcut of another one. */
  command: isApple ? '⌘' : 'Ctrl',
} as const;
