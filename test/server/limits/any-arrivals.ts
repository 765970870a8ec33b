import { expect } from 'chai';
import { array, integer, record } from 'fast-check';

/** A request of one client at a time in seconds, and what became of it. */
export type Arrival = { at: number; client: number; outcome: 'admitted' | number };

/**
 * Waits between requests in seconds, and whose each is: often many at once, sometimes exactly a window apart, sometimes
 * longer. `parts` divide a second.
 */
export function anyArrivals({
  windowSeconds,
  parts = 1,
  most,
}: {
  windowSeconds: number;
  parts?: number;
  most: number;
}) {
  const longest = (windowSeconds + 1) * parts;
  return array(
    record({
      waitSeconds: integer({ min: -Math.ceil(longest / 5), max: longest }).map((wait) => Math.max(wait, 0) / parts),
      client: integer({ min: 0, max: 2 }),
    }),
    { maxLength: most, size: 'max' },
  );
}

/**
 * The statements themselves, by counting: a client has never more than `limit` admitted requests in any trailing window,
 * is never refused what fits into one, and is told the fewest whole seconds after which the next fits.
 * `lateSeconds` is by how much time may have run ahead of `at` when a wait was told; waits are whole seconds then.
 */
export function expectExactWindow(
  arrivals: readonly Arrival[],
  { limit, windowSeconds, lateSeconds = 0 }: { limit: number; windowSeconds: number; lateSeconds?: number },
): void {
  for (const [index, { at, client, outcome }] of arrivals.entries()) {
    const admittedBefore = arrivals
      .slice(0, index)
      .filter((earlier) => earlier.client === client && earlier.outcome === 'admitted');
    const countedAt = (time: number) => admittedBefore.filter((earlier) => time - earlier.at < windowSeconds).length;
    const told = `request ${index} at ${at} s, with ${countedAt(at)} of ${limit} counted`;

    if (countedAt(at) < limit) {
      expect(outcome, told).to.equal('admitted');
      continue;
    }
    expect(countedAt(at), told).to.equal(limit);
    let fewest = 1;
    while (countedAt(at + fewest) === limit) fewest += 1;
    expect(outcome, told).to.be.within(fewest - Math.floor(lateSeconds), fewest);
  }
}
