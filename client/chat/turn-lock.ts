/** Lets one turn run at a time, wherever the person has the chat open. */
export type TurnLock = {
  /** Takes the lock and resolves with its release, or with null where a turn is running already. */
  take(): Promise<(() => void) | null>;
  /** Whether a turn is running, here or elsewhere. */
  isHeld(): Promise<boolean>;
};

/** For where there is nothing to lock with: every turn may run. */
export const freeLock: TurnLock = {
  take: async () => () => {},
  isHeld: async () => false,
};

/** As much of `navigator.locks` as is used. */
export type WebLocks = {
  request(
    name: string,
    options: { ifAvailable: true },
    whenGranted: (lock: object | null) => unknown,
  ): Promise<unknown>;
  query(): Promise<{ held?: { name?: string }[] }>;
};

/** A lock over all tabs of a browser. The browser itself releases it when a tab closes or crashes. */
export function createWebLock(locks: WebLocks, name: string): TurnLock {
  let released: Promise<unknown> = Promise.resolve();

  return {
    async take() {
      // What this page has released is free only once the browser says so.
      await released;
      return new Promise((resolve) => {
        const held = locks.request(name, { ifAvailable: true }, (lock) => {
          if (lock === null) return resolve(null);
          return new Promise<void>((free) => {
            resolve(() => {
              released = held;
              free();
            });
          });
        });
        // A browser that denies locks does not deny the chat.
        held.catch(() => resolve(() => {}));
      });
    },

    async isHeld() {
      const { held = [] } = await locks.query().catch(() => ({ held: [] }));
      return held.some((lock) => lock.name === name);
    },
  };
}
