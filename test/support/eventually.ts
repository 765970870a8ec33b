import { setTimeout as delay } from 'node:timers/promises';

/** Resolves with what `probe` gives as soon as that is something; the test's own time limit is the only other end. */
export async function eventually<T>(probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    await delay(5);
  }
}
