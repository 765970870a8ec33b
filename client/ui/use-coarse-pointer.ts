import { useSyncExternalStore } from 'react';

const query = window.matchMedia('(pointer: coarse)');

/** Whether a finger is what this device is used with, and so most likely a keyboard on the screen. */
export function useCoarsePointer(): boolean {
  return useSyncExternalStore(subscribe, isPointerCoarse);
}

export function isPointerCoarse(): boolean {
  return query.matches;
}

function subscribe(onChange: () => void): () => void {
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}
