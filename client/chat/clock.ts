/** What the chat needs of time; tests drive a fake one. */
export type Clock = {
  /** Milliseconds since the epoch, by the wall clock. */
  now(): number;
  /**
   * Runs `action` once after `milliseconds`; calling the result calls it off. Where `isAwaited` is false nobody waits for it, and it
   * does not keep a process running.
   */
  after(milliseconds: number, action: () => void, isAwaited?: boolean): () => void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, action, isAwaited = true) {
    const timer = setTimeout(action, milliseconds);
    // In a browser it is a number, which holds nothing.
    if (!isAwaited && typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The same clock for what nobody waits for. */
export function unawaited(clock: Clock): Clock {
  return { now: () => clock.now(), after: (milliseconds, action) => clock.after(milliseconds, action, false) };
}
