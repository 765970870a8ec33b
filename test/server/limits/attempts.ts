import { expect } from 'chai';
import { AppError } from '../../../server/app-error.ts';
import type { Limiter } from '../../../server/limits/limiter.ts';

/** `'admitted'`, or the seconds after which a refused request may be sent again. */
export async function attempt(limiter: Limiter, key: string): Promise<'admitted' | number> {
  try {
    await limiter.take(key);
    return 'admitted';
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED' || error.retryAfterSeconds === undefined)
      throw error;
    return error.retryAfterSeconds;
  }
}

/** What became of `count` requests, one after another. */
export async function attempts(limiter: Limiter, key: string, count: number) {
  const outcomes = [];
  for (let sent = 0; sent < count; sent += 1) outcomes.push(await attempt(limiter, key));
  return outcomes;
}

export const admitted = (count: number) => Array.from({ length: count }, () => 'admitted');

/** A request of one client at a time in seconds, and what became of it. */
export type Arrival = { at: number; client: number; outcome: 'admitted' | number };

/**
 * The statements themselves, by counting: a client has never more than `limit` admitted requests in any trailing window,
 * is never refused what fits into one, and is told the fewest whole seconds after which the next fits. `lateSeconds` is by
 * how much time may have run ahead of `at` when a wait was told.
 */
export function expectExactWindow(
  arrivals: readonly Arrival[],
  { limit, windowSeconds, lateSeconds }: { limit: number; windowSeconds: number; lateSeconds: number },
): void {
  for (const [index, { at, client, outcome }] of arrivals.entries()) {
    const counted = arrivals
      .slice(0, index)
      .filter(
        (earlier) => earlier.client === client && earlier.outcome === 'admitted' && at - earlier.at < windowSeconds,
      );
    const told = `request ${index} at ${at} s, with ${counted.length} of ${limit} counted`;
    if (counted.length < limit) {
      expect(outcome, told).to.equal('admitted');
      continue;
    }
    expect(counted.length, told).to.equal(limit);
    const wait = (counted[0]?.at ?? 0) + windowSeconds - at;
    expect(outcome, told).to.be.within(wait - Math.floor(lateSeconds), wait);
  }
}
