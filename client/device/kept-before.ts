import { type DeviceStorage, keysBeginning } from './device-storage.ts';
import { isConversationId } from './store-rows.ts';

/** Whether releases before the store have left anything under `prefix`. */
export function hasKeptBefore(storage: DeviceStorage, prefix: string): boolean {
  return (
    [prefix, indexKeyOf(prefix)].some((key) => storage.getItem(key) !== null) ||
    transcriptKeys(storage, prefix).length > 0
  );
}

export const indexKeyOf = (prefix: string) => `${prefix}:index`;
export const transcriptKeyOf = (prefix: string, id: string) => `${prefix}:conversation:${id}`;

/** The keys of all transcripts: those of what is typed go on with more. */
export function transcriptKeys(storage: DeviceStorage, prefix: string): string[] {
  const beginning = transcriptKeyOf(prefix, '');
  return keysBeginning(storage, beginning).filter((key) => isConversationId(key.slice(beginning.length)));
}
