import type { ConversationStore } from '../device/conversation-store.ts';
import { type DeviceRoom, unknownRoom } from '../device/device-room.ts';
import { openIndexedStore } from '../device/indexed-store.ts';
import { createMemoryStore } from '../device/memory-store.ts';
import { createTabChannel, noChannel, type TabChannel } from '../device/tab-channel.ts';

/** The database `name`; where the browser denies databases, a stand-in that forgets when the page is left. */
export function openStore(name: string): Promise<ConversationStore> {
  return openIndexedStore(name).catch(() => createMemoryStore());
}

export function openChannel(name: string): TabChannel {
  return 'BroadcastChannel' in window ? createTabChannel(name) : noChannel;
}

/** Does `action` while no other tab does anything under this name; at once where the browser has no locks. */
export async function exclusively(name: string, action: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return action();
  await navigator.locks.request(name, action);
}

/** What the browser says of the room on the device. It says nothing on a page that came by plain HTTP. */
export function roomOnDevice(): DeviceRoom {
  const { storage } = navigator;
  if (!('storage' in navigator)) return unknownRoom;
  return {
    estimate: () => storage.estimate(),
    persisted: () => storage.persisted(),
    persist: () => storage.persist(),
  };
}
