import { type Draft, emptyDraft, isEmptyDraft } from '../chat/draft.ts';
import { loadDraft, storeDraft } from '../chat/transcript.ts';
import { type DeviceStorage, keysWithPrefix } from './device-storage.ts';

type DraftsDependencies = {
  /** Writes synchronously, so a draft that is saved while the page closes is not lost. */
  storage: DeviceStorage;
  prefix: string;
  /** Whether the database does not have the latest version of the conversation yet. */
  isUnwritten: (id: string) => boolean;
  /** Called when a draft was saved or could not be; `hasUnsaved` may have changed. */
  onSaved: () => void;
};

export type Drafts = ReturnType<typeof createDrafts>;

const suffix = ':typed';

/** Manages the drafts of one user's conversations. The storage has the one that was saved last, by any tab. */
export function createDrafts({ storage, prefix, isUnwritten, onSaved }: DraftsDependencies) {
  const keyPrefix = `${prefix}:conversation:`;
  const keyOf = (id: string) => `${keyPrefix}${id}${suffix}`;
  /** The stored drafts of conversations whose question is not written yet. Until it is, no empty draft may replace them. */
  const awaitingWrite = new Map<string, string | null>();
  /** Drafts for which the storage had no room. */
  const unsaved = new Map<string, Draft>();
  let isClosed = false;

  function save(id: string, draft: Draft): void {
    // The stored draft has the only permanent copy of the question until the database has it.
    if (isEmptyDraft(draft) && isUnwritten(id)) {
      if (!awaitingWrite.has(id)) awaitingWrite.set(id, storage.getItem(keyOf(id)));
      return;
    }
    awaitingWrite.delete(id);
    if (isClosed || storeDraft(storage, keyOf(id), draft)) unsaved.delete(id);
    else unsaved.set(id, draft);
    onSaved();
  }

  return {
    load: (id: string): Draft =>
      awaitingWrite.has(id) ? emptyDraft : (unsaved.get(id) ?? loadDraft(storage, keyOf(id))),
    save,

    hasUnsaved: () => unsaved.size > 0,

    saveUnsaved(): void {
      for (const [id, draft] of unsaved) save(id, draft);
    },

    deleteWritten(): void {
      for (const [id, stored] of awaitingWrite) {
        // Another tab may have stored a later one.
        if (storage.getItem(keyOf(id)) === stored) save(id, emptyDraft);
        else awaitingWrite.delete(id);
      }
    },

    remove(id: string): void {
      awaitingWrite.delete(id);
      unsaved.delete(id);
      storage.removeItem(keyOf(id));
    },

    close(): void {
      isClosed = true;
      unsaved.clear();
    },

    ids(): string[] {
      const keys = keysWithPrefix(storage, keyPrefix).filter((key) => key.endsWith(suffix));
      return keys.map((key) => key.slice(keyPrefix.length, -suffix.length));
    },
  };
}
