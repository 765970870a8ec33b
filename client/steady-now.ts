/**
 * Milliseconds since the epoch for measuring waits. Never goes back, even if the device's clock is set back. Includes the sleep of a
 * computer, unlike `performance.now()` in some browsers. A clock that is set forward makes waits end early.
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
