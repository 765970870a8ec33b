import type { Moment } from './records.ts';

/** The time that every record is in: comparable with the times in the product's log, and never set back. */
export function now(): Moment {
  return performance.timeOrigin + performance.now();
}
