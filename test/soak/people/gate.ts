import { setTimeout as delay } from 'node:timers/promises';

/** People do not come back in the same millisecond, and the provider shares this process with all of them. */
const spacingMilliseconds = 10;

/** Through which every request goes out: closed, it holds back the next ones and tells when the last has come back. */
export function createGate() {
  let under = 0;
  let isOpen = true;
  let quiet = Promise.withResolvers<void>();
  const held: (() => void)[] = [];

  return {
    /** Resolves when a request may go out, and counts it until `leave`. */
    async enter(): Promise<void> {
      if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
      under += 1;
    },

    leave(): void {
      under -= 1;
      if (under === 0) quiet.resolve();
    },

    /** Holds back what comes; resolves when nothing is under way. */
    async close(): Promise<void> {
      isOpen = false;
      quiet = Promise.withResolvers<void>();
      if (under > 0) await quiet.promise;
    },

    /** Lets through what comes; resolves when those who were held back are through, one after another. */
    async open(): Promise<void> {
      isOpen = true;
      for (let next = held.shift(); next !== undefined; next = held.shift()) {
        next();
        await delay(spacingMilliseconds);
      }
    },
  };
}

export type Gate = ReturnType<typeof createGate>;
