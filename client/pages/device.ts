import { createWebLock, noLock, type TurnLock } from '../chat/turn-lock.ts';
import { type SiteStorage, unknownSiteStorage } from '../device/device-storage.ts';

/** `navigator.storage`, which is absent on a page served over plain HTTP. */
export function siteStorage(): SiteStorage {
  const { storage } = navigator;
  if (!('storage' in navigator)) return unknownSiteStorage;
  return {
    estimate: () => storage.estimate(),
    persisted: () => storage.persisted(),
    persist: () => storage.persist(),
  };
}

/** Returns a lock shared by all tabs; without effect if the browser has no Web Locks, as over plain HTTP. */
export function turnLock(name: string): TurnLock {
  return 'locks' in navigator ? createWebLock(navigator.locks, name) : noLock;
}
