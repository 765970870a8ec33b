import { deviceKeys, deviceStorage } from '../../device/device-storage.ts';
import { writeItem } from '../../write-item.ts';

/** A drawing that has started and not finished, identified by the hash of its source. */
type Drawing = [hash: string, startedAt: number];

const maxDrawings = 100;

/** A drawing that started this recently may still be in progress in another tab. */
const drawingElsewhereMilliseconds = 5000;

/**
 * Remembers on the device which drawings did not finish, so that a reply whose diagram blocks the page can be opened again. A tab
 * that is closed while it is blocked leaves its entry behind.
 */
export function createUnfinishedDrawings(storage = deviceStorage('localStorage'), now = Date.now) {
  function update(change: (entries: Drawing[]) => Drawing[]): void {
    // If the storage is full, the drawing starts again on the next visit.
    writeItem(storage, deviceKeys.unfinishedDrawings, JSON.stringify(change(read(storage)).slice(-maxDrawings)));
  }

  return {
    has(source: string): boolean {
      const hash = hashOf(source);
      const entry = read(storage).find(([entryHash]) => entryHash === hash);
      return entry !== undefined && now() - entry[1] > drawingElsewhereMilliseconds;
    },

    start(source: string): void {
      const hash = hashOf(source);
      update((entries) => (entries.some(([entryHash]) => entryHash === hash) ? entries : [...entries, [hash, now()]]));
    },

    finish(source: string): void {
      const hash = hashOf(source);
      update((entries) => entries.filter(([entryHash]) => entryHash !== hash));
    },
  };
}

function read(storage: Pick<Storage, 'getItem'>): Drawing[] {
  try {
    const entries: unknown = JSON.parse(storage.getItem(deviceKeys.unfinishedDrawings) ?? '[]');
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is Drawing {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number';
}

/** FNV-1a in two 32-bit halves. `crypto.subtle` is asynchronous, and absent over plain HTTP. */
function hashOf(text: string): string {
  let [first, second] = [0x811c9dc5, 0x9dc5811c];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x01000195);
  }
  return [first, second].map((half) => (half >>> 0).toString(36)).join('-');
}
