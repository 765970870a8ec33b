/**
 * Returns by how many milliseconds this process's clock is ahead of another one, which read `otherClock` during the request.
 * Returns 0 if the duration of the request explains the difference.
 */
export function clockAheadMilliseconds({ requestedAt, otherClock, respondedAt }: ClockReading): number {
  return Math.round(otherClock < requestedAt ? requestedAt - otherClock : Math.min(0, respondedAt - otherClock));
}

/** Milliseconds since 1970. */
type ClockReading = { requestedAt: number; otherClock: number; respondedAt: number };
