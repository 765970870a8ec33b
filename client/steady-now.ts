/**
 * Milliseconds since the epoch for measuring waits: it never goes back, even if the device's clock is set back. It includes the time
 * that a computer has slept, in which `performance.now()` stands still in some browsers. It therefore also follows a clock that is
 * set forward, which only makes a wait end early.
 */
export const steadyNow = createSteadyNow(
  () => Date.now(),
  () => performance.now(),
);

export function createSteadyNow(wallTime: () => number, elapsedTime: () => number): () => number {
  let greatestOffset = Number.NEGATIVE_INFINITY;

  return () => {
    const elapsed = elapsedTime();
    greatestOffset = Math.max(greatestOffset, wallTime() - elapsed);
    return Math.round(elapsed + greatestOffset);
  };
}
