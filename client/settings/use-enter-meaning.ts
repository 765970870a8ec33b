import { type EnterMeaning, enterMeaning } from './enter-meaning.ts';
import { useSettings } from './in-settings.tsx';
import { useCoarsePointer } from './use-coarse-pointer.ts';

/** What Enter does in the message field on this device, as it is set. */
export function useEnterMeaning(): EnterMeaning {
  const { settings } = useSettings();
  return enterMeaning(settings.enter, useCoarsePointer());
}
