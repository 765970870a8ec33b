import { setTimeout as delay } from 'node:timers/promises';

/** The probes that have found nothing yet, each with the line that waits for it. */
const pending = new Map<symbol, string>();

/**
 * Resolves with the first value of `probe` that is not undefined. There is no other limit than the test's own: a test that times
 * out while it waits here fails with the text of `probe`.
 */
export async function eventually<T>(probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const wait = Symbol();
  const [line = ''] = new Error().stack?.split('\n').slice(2) ?? [];
  pending.set(wait, `${probe}\n${line}`);
  try {
    for (;;) {
      const found = await probe();
      if (found !== undefined) return found;
      await delay(5);
      // The test is over. An endless loop would keep the process alive.
      if (!pending.has(wait)) await new Promise<never>(() => undefined);
    }
  } finally {
    pending.delete(wait);
  }
}

/** Ends every wait without a result, and returns what each waited for. */
export function abandonWaits(): string[] {
  const abandoned = [...pending.values()];
  pending.clear();
  return abandoned;
}
