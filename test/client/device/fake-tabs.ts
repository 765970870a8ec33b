import type { TabChannel } from '../../../client/device/tab-channel.ts';

/** Delivers a copy of each message synchronously to all other tabs. */
export function createFakeTabs(): () => TabChannel {
  const listeners = new Map<object, (message: unknown) => void>();
  return () => {
    const self = {};
    return {
      post(message) {
        for (const [other, listener] of listeners) if (other !== self) listener(structuredClone(message));
      },
      listen: (listener) => void listeners.set(self, listener),
      close: () => void listeners.delete(self),
    };
  };
}
