/** Allows one turn at a time across all tabs. */
export type TurnLock = {
  /** Acquires the lock and resolves with a function that releases it, or with null if another turn holds it. */
  take(): Promise<(() => void) | null>;
  isHeld(): Promise<boolean>;
};

/** Allows every turn, for environments without locks. */
export const noLock: TurnLock = {
  take: async () => () => {},
  isHeld: async () => false,
};

export type WebLocks = {
  request(
    name: string,
    options: { ifAvailable: true },
    whenGranted: (lock: object | null) => unknown,
  ): Promise<unknown>;
  query(): Promise<{ held?: { name?: string }[] }>;
};

/**
 * Creates a lock across all tabs of a browser, which the browser releases when a tab closes or crashes. Without Web Locks, as on a
 * page served over plain HTTP, every turn is allowed.
 */
export function createWebLock(locks: WebLocks | undefined, name: string): TurnLock {
  if (locks === undefined) return noLock;
  let released: Promise<unknown> = Promise.resolve();

  return {
    async take() {
      // The browser frees a released lock asynchronously.
      await released;
      return new Promise((resolve) => {
        const held = locks.request(name, { ifAvailable: true }, (lock) => {
          if (lock === null) return resolve(null);
          return new Promise<void>((unlock) => {
            resolve(() => {
              released = held;
              unlock();
            });
          });
        });
        // Chat still works if the browser denies locks.
        held.catch(() => resolve(() => {}));
      });
    },

    async isHeld() {
      const { held = [] } = await locks.query().catch(() => ({ held: [] }));
      return held.some((lock) => lock.name === name);
    },
  };
}
