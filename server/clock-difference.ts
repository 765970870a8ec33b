/**
 * By how many milliseconds this process' clock is ahead of another one, which was read as `other` in between; 0 while the
 * time that the answer took explains the difference.
 */
export function clockAheadMilliseconds({ askedAt, other, answeredAt }: ClockReading): number {
  return Math.round(other < askedAt ? askedAt - other : Math.min(0, answeredAt - other));
}

/** Milliseconds since 1970. */
type ClockReading = { askedAt: number; other: number; answeredAt: number };
