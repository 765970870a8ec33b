import type { TurnLock } from '../../client/chat/turn-lock.ts';

/** A lock as every tab of one browser sees it. */
export function createFakeLock(): TurnLock {
  let isHeld = false;
  return {
    async take() {
      if (isHeld) return null;
      isHeld = true;
      return () => {
        isHeld = false;
      };
    },
    isHeld: async () => isHeld,
  };
}
