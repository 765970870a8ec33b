import { createWebLock, freeLock, type TurnLock } from '../chat/turn-lock.ts';

/** The lock of this name over all tabs; none where the browser has no locks, as on a page that came by plain HTTP. */
export function turnLock(name: string): TurnLock {
  return 'locks' in navigator ? createWebLock(navigator.locks, name) : freeLock;
}
