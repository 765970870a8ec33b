/** What the chat needs of time; tests drive a fake one. */
export type Clock = {
  /** Milliseconds since the epoch, by the wall clock. */
  now(): number;
  /** Runs `action` once after `milliseconds`; calling the result calls it off. */
  after(milliseconds: number, action: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};
