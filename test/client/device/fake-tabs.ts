import type { TabChannel } from '../../../client/device/tab-channel.ts';

/** What the tabs of a browser tell each other reaches all others at once, as a copy. */
export function createFakeTabs(): () => TabChannel {
  const listeners = new Map<object, (message: unknown) => void>();
  return () => {
    const self = {};
    return {
      post(message) {
        for (const [other, listener] of listeners) if (other !== self) listener(structuredClone(message));
      },
      listen(listener) {
        listeners.set(self, listener);
        return () => void listeners.delete(self);
      },
      close: () => void listeners.delete(self),
    };
  };
}
