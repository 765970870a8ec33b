import type { TurnLock } from '../../client/chat/turn-lock.ts';

/** Creates a lock that is shared by all conversations that get it, like a Web Lock in all tabs of a browser. */
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
