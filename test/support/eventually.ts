import { setTimeout as delay } from 'node:timers/promises';

/** Describes each pending wait. */
const pending = new Map<symbol, () => string>();

/**
 * Polls `probe` and resolves with its first value that is not undefined. The test's own timeout is the only limit: a test that
 * times out while it waits fails with the source of `probe`, its caller and the result of `describeState`, and the wait rejects,
 * so that the test closes its resources.
 */
export function eventually<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  describeState: () => string = () => '',
): Promise<T> {
  const wait = Symbol();
  const [line = ''] = new Error().stack?.split('\n').slice(2) ?? [];
  pending.set(wait, () => `${probe}\n${line}\n${describeState()}`);
  const found = poll(probe, wait).finally(() => pending.delete(wait));
  // If the test has failed elsewhere, it never awaits this promise, and its rejection would be unhandled.
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

/** Rejects every pending wait, and returns their descriptions. */
export function abandonWaits(): string[] {
  const abandoned = Array.from(pending.values(), (describe) => describe());
  pending.clear();
  return abandoned;
}
