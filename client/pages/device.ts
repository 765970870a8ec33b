import { createWebLock, freeLock, type TurnLock } from '../chat/turn-lock.ts';
import { type SiteStorage, unknownSiteStorage } from '../device/device-storage.ts';

/** What the browser says of the room on the device. It says nothing on a page that came by plain HTTP. */
export function roomOnDevice(): SiteStorage {
  const { storage } = navigator;
  if (!('storage' in navigator)) return unknownSiteStorage;
  return {
    estimate: () => storage.estimate(),
    persisted: () => storage.persisted(),
    persist: () => storage.persist(),
  };
}

/** The lock of this name over all tabs; none where the browser has no locks, as on a page that came by plain HTTP. */
export function turnLock(name: string): TurnLock {
  return 'locks' in navigator ? createWebLock(navigator.locks, name) : freeLock;
}
