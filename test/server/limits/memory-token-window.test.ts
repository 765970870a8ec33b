import { expect } from 'chai';
import { assert, asyncProperty, integer } from 'fast-check';
import { describe, it } from 'mocha';
import { createMemoryTokenWindow } from '../../../server/limits/memory-token-window.ts';
import { anyTokenUses, expectModelsAnswers } from './any-token-uses.ts';
import { createFakeClock } from './fake-clock.ts';

const windowSeconds = 10;

describe('createMemoryTokenWindow', () => {
  it('admits while the sum of the trailing window is below the budget, and says exactly how long it is not', async () => {
    await assert(
      asyncProperty(
        integer({ min: 1, max: 100 }),
        anyTokenUses({ windowUnits: windowSeconds, most: 60 }),
        async (budget, steps) => {
          const clock = createFakeClock();
          await expectModelsAnswers(steps, {
            windows: [createMemoryTokenWindow({ budget, windowSeconds, clock: clock.read })],
            budget,
            windowUnits: windowSeconds,
            unitMilliseconds: 1000,
            pass: (seconds) => clock.advance(seconds * 1000),
          });
        },
      ),
      { seed: 20_261_122, numRuns: 500 },
    );
  }).timeout(60_000);

  it('keeps no more uses than it has room for: the oldest count as long as the next', async () => {
    const clock = createFakeClock();
    const window = createMemoryTokenWindow({ budget: 1000, windowSeconds, clock: clock.read, most: 3 });
    for (const id of ['a', 'b', 'c', 'd']) {
      await window.reserve(id, 100);
      clock.advance(1000);
    }
    expect(await window.used()).to.equal(400);
    clock.moveTo(10_000);
    expect(await window.used(), 'the first counts with the second').to.equal(400);
    await window.settle('a', 0);
    expect(await window.used(), 'and is settled no more').to.equal(400);
    clock.moveTo(11_000);
    expect(await window.used()).to.equal(200);
  });
});
