import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCostClasses } from './cost-classes.ts';

describe('the cost that a request may have', () => {
  it('is twenty times the median of its size, however large the largest is', () => {
    const costs = createCostClasses();
    for (const cost of [4_000, 5_000, 900_000]) costs.add(50_000, cost);
    for (const cost of [40_000, 50_000, 60_000]) costs.add(900_000, cost);
    expect(costs.most(50_000)).to.equal(100_000);
    expect(costs.most(900_000)).to.equal(1_000_000);
  });

  it('is at least what says something about a request', () => {
    const costs = createCostClasses();
    costs.add(100, 10);
    expect(costs.most(100)).to.equal(20_000);
  });

  it('has no bound for a size that was never seen', () => {
    expect(createCostClasses().most(100)).to.equal(Number.POSITIVE_INFINITY);
  });
});
