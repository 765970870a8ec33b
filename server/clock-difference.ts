/**
 * Returns by how many milliseconds this process' clock is ahead of another one, which read `other` during the request.
 * Returns 0 if the duration of the request explains the difference.
 */
export function clockAheadMilliseconds({ askedAt, other, answeredAt }: ClockReading): number {
  return Math.round(other < askedAt ? askedAt - other : Math.min(0, answeredAt - other));
}

/** Milliseconds since 1970. */
type ClockReading = { askedAt: number; other: number; answeredAt: number };
