import { randomBytes } from 'node:crypto';
import type { MemoryWindow, MonotonicClock } from './memory-window.ts';
import type { Told } from './redis-window.ts';

/** Of so many requests at the most it is remembered that Redis may have counted them although they were judged here. */
const mostDoubts = 10_000;

/** What an instance must tell Redis of a key. `told` notes that it did. */
export type Owed = Told & { told(): void };

/** The requests that this process has counted by itself while Redis was away. Redis has to count them too. */
export function createCountedAlone({ here, clock }: { here: MemoryWindow; clock: MonotonicClock }) {
  const own = randomBytes(6).toString('base64url');
  let requests = 0;
  /** Keys with requests that Redis is not known to have. */
  let owed = new Set<string>();
  /** Ids of requests that Redis did not answer, by key. */
  const doubts = new Map<string, readonly string[]>();
  let countOfDoubts = 0;

  /** The requests of a key that were counted here. Each has the same id whenever it is asked for. */
  function countedHere(key: string): Told['counted'] {
    const now = clock();
    let before: number | undefined;
    let equals = 0;
    return here.timesOf(key).map((time) => {
      equals = time === before ? equals + 1 : 0;
      before = time;
      return { id: `${own}-${time}-${equals}`, ageMilliseconds: now - time };
    });
  }

  function forgetDoubts(key: string, ids: readonly string[]): void {
    const known = doubts.get(key) ?? [];
    const left = known.filter((id) => !ids.includes(id));
    countOfDoubts -= known.length - left.length;
    if (left.length > 0) doubts.set(key, left);
    else doubts.delete(key);
  }

  return {
    /** An id that no other request has, here or in another process. */
    newId(): string {
      requests += 1;
      return `${own}-${requests.toString(36)}`;
    },

    /** Redis did not answer the request, so it is judged here; Redis may count it later all the same. */
    doubt(key: string, id: string): void {
      if (countOfDoubts >= mostDoubts) return;
      countOfDoubts += 1;
      doubts.set(key, [...(doubts.get(key) ?? []), id]);
    },

    /** Redis may have nothing of what was counted here. It is told all of it once more, which changes nothing where it has. */
    oweAll(): void {
      owed = new Set([...here.liveKeys(), ...doubts.keys()]);
    },

    owedKeys: (): string[] => [...owed],
    isOwed: (key: string): boolean => owed.has(key),

    /** What Redis does not know of `key` yet. With `all`, also what it should know already. */
    owedOf(key: string, { all = false } = {}): Owed {
      const among = owed;
      const voided = doubts.get(key) ?? [];
      return {
        voided,
        counted: all || among.has(key) ? countedHere(key) : [],
        told() {
          among.delete(key);
          if (voided.length > 0) forgetDoubts(key, voided);
        },
      };
    },
  };
}
