import { setTimeout as delay } from 'node:timers/promises';

/** The probes that have found nothing yet, each with the line that waits for it. */
const pending = new Map<symbol, string>();

/**
 * Resolves with the first value of `probe` that is not undefined. There is no other limit than the test's own: a test that times
 * out while it waits here fails with the text of `probe`, and the wait rejects, so that the test closes what it has opened.
 */
export function eventually<T>(probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const wait = Symbol();
  const [line = ''] = new Error().stack?.split('\n').slice(2) ?? [];
  pending.set(wait, `${probe}\n${line}`);
  const found = poll(probe, wait).finally(() => pending.delete(wait));
  // A test that has failed elsewhere may not have awaited it.
  found.catch(() => undefined);
  return found;
}

async function poll<T>(probe: () => Promise<T | undefined> | T | undefined, wait: symbol): Promise<T> {
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    await delay(5);
    if (!pending.has(wait)) throw new Error('The test ended during this wait.');
  }
}

/** Ends every wait, which then rejects, and returns what each waited for. */
export function abandonWaits(): string[] {
  const abandoned = [...pending.values()];
  pending.clear();
  return abandoned;
}
