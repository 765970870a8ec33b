import { useMedia } from '../controls/use-media.ts';

const coarse = '(pointer: coarse)';

/** Whether a finger is what this device is used with, and so most likely a keyboard on the screen. */
export function useCoarsePointer(): boolean {
  return useMedia(coarse);
}

export function isPointerCoarse(): boolean {
  return window.matchMedia(coarse).matches;
}
