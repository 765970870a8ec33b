export function createFakeClock(startMilliseconds = 0) {
  let now = startMilliseconds;
  return {
    read: () => now,
    advance(milliseconds: number) {
      now += milliseconds;
    },
  };
}
