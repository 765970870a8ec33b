import { deviceKeys, deviceStorage } from '../../device/device-storage.ts';
import { parseJson } from '../../parse-json.ts';
import { writeItem } from '../../write-item.ts';

/** The drawings that have started and not finished, by the hash of their source, the latest last. */
type StartTimes = Map<string, number>;

const maxDrawings = 100;

/** A drawing that started this recently may still be in progress in another tab. */
const drawingElsewhereMilliseconds = 5000;

/**
 * Remembers on the device which drawings did not finish, so that a reply whose diagram blocks the page can be opened again. A tab
 * that is closed while it is blocked leaves its entry behind.
 */
export function createUnfinishedDrawings(storage = deviceStorage('localStorage'), now = Date.now) {
  function update(change: (startTimes: StartTimes) => void): void {
    const startTimes = read(storage);
    change(startTimes);
    // If the storage is full, the drawing starts again on the next visit.
    writeItem(storage, deviceKeys.unfinishedDrawings, JSON.stringify([...startTimes].slice(-maxDrawings)));
  }

  return {
    has(source: string): boolean {
      const startedAt = read(storage).get(hashOf(source));
      return startedAt !== undefined && now() - startedAt > drawingElsewhereMilliseconds;
    },

    start(source: string): void {
      const hash = hashOf(source);
      update((startTimes) => startTimes.set(hash, startTimes.get(hash) ?? now()));
    },

    finish(source: string): void {
      update((startTimes) => startTimes.delete(hashOf(source)));
    },
  };
}

function read(storage: Pick<Storage, 'getItem'>): StartTimes {
  const entries = parseJson(storage.getItem(deviceKeys.unfinishedDrawings));
  return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
}

function isEntry(entry: unknown): entry is [hash: string, startedAt: number] {
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
