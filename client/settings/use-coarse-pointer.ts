import { useSyncExternalStore } from 'react';

const pointer = () => window.matchMedia('(pointer: coarse)');

/** Whether a finger is what this device is used with, and so most likely a keyboard on the screen. */
export function useCoarsePointer(): boolean {
  return useSyncExternalStore(subscribe, isPointerCoarse);
}

export function isPointerCoarse(): boolean {
  return pointer().matches;
}

function subscribe(onChange: () => void): () => void {
  const watched = pointer();
  watched.addEventListener('change', onChange);
  return () => watched.removeEventListener('change', onChange);
}
