import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createSteadyNow } from '../../client/steady-now.ts';

describe('steadyNow', () => {
  let wall: number;
  let elapsed: number;
  let steadyNow: () => number;

  beforeEach(() => {
    wall = Date.UTC(2030, 0, 1);
    elapsed = 500;
    steadyNow = createSteadyNow(
      () => wall,
      () => elapsed,
    );
  });

  it('keeps counting elapsed time after the clock is set back', () => {
    const start = steadyNow();
    expect(start).to.equal(wall);
    wall -= 3 * 3_600_000;
    elapsed += 20_000;
    expect(steadyNow()).to.equal(start + 20_000);
  });

  it('counts the time asleep, while only the wall clock advances', () => {
    const start = steadyNow();
    wall += 3_600_000;
    expect(steadyNow()).to.equal(start + 3_600_000);
  });
});
