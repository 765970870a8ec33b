import { useMedia } from '../browser/use-media.ts';

const coarse = '(pointer: coarse)';

/** Returns whether the primary pointer is a finger, which implies an on-screen keyboard. */
export function useCoarsePointer(): boolean {
  return useMedia(coarse);
}

export function isPointerCoarse(): boolean {
  return window.matchMedia(coarse).matches;
}
