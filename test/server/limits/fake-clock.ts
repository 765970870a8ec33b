export function createFakeClock(startMilliseconds = 0) {
  let now = startMilliseconds;
  return {
    read: () => now,
    moveTo(milliseconds: number) {
      now = milliseconds;
    },
    advance(milliseconds: number) {
      now += milliseconds;
    },
  };
}
