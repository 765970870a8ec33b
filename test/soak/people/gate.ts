/** Through which every request goes out: closed, it holds back the next ones and tells when the last has come back. */
export function createGate() {
  let under = 0;
  let opened = Promise.withResolvers<void>();
  let quiet = Promise.withResolvers<void>();
  opened.resolve();

  return {
    /** Resolves when a request may go out, and counts it until `leave`. */
    async enter(): Promise<void> {
      await opened.promise;
      under += 1;
    },

    leave(): void {
      under -= 1;
      if (under === 0) quiet.resolve();
    },

    /** Holds back what comes; resolves when nothing is under way. */
    async close(): Promise<void> {
      opened = Promise.withResolvers<void>();
      quiet = Promise.withResolvers<void>();
      if (under > 0) await quiet.promise;
    },

    open(): void {
      opened.resolve();
    },
  };
}

export type Gate = ReturnType<typeof createGate>;
