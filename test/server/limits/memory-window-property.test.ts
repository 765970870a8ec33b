import { expect } from 'chai';
import { array, assert, asyncProperty, integer, record } from 'fast-check';
import { describe, it } from 'mocha';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { MemoryWindow } from '../../../server/limits/memory-window.ts';
import { createFakeClock } from './fake-clock.ts';

const duration = 10;
const milliseconds = duration * 1000;

/** Arrivals of a few clients: often at once, sometimes exactly a window apart, sometimes long after. */
const arrivals = array(
  record({
    afterMilliseconds: integer({ min: -2000, max: milliseconds + 1 }).map((wait) => Math.max(wait, 0)),
    client: integer({ min: 0, max: 2 }),
  }),
  { maxLength: 80, size: 'max' },
);

/** The statement itself: a request is refused just where `points` accepted ones lie in the window that ends with it. */
function createModel(points: number) {
  const accepted = new Map<number, number[]>();
  return (client: number, now: number) => {
    const times = accepted.get(client) ?? [];
    const counted = times.filter((time) => now - time < milliseconds);
    if (counted.length < points) accepted.set(client, [...times, now]);
    const oldest = counted[0] ?? now;
    return { refused: counted.length >= points, msBeforeNext: oldest + milliseconds - now };
  };
}

describe('MemoryWindow', () => {
  it('admits what fits into every trailing window, nothing else, and says exactly how long to wait', async () => {
    await assert(
      asyncProperty(integer({ min: 1, max: 5 }), arrivals, async (points, requests) => {
        const clock = createFakeClock();
        const window = new MemoryWindow({ points, duration, clock: clock.read, mostKeys: 100 });
        const expectedOf = createModel(points);
        for (const { afterMilliseconds, client } of requests) {
          clock.advance(afterMilliseconds);
          const expected = expectedOf(client, clock.read());
          const outcome = await window.consume(client).then(
            ({ msBeforeNext }) => ({ refused: false, msBeforeNext }),
            (error: unknown) => {
              if (!(error instanceof RateLimiterRes)) throw error;
              return { refused: true, msBeforeNext: error.msBeforeNext };
            },
          );
          expect(outcome).to.deep.equal(expected);
        }
      }),
      { seed: 20_261_121, numRuns: 500 },
    );
  });
});
