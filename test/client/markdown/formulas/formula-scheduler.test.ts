import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createFormulaScheduler } from '../../../../client/markdown/formulas/formula-scheduler.ts';

describe('createFormulaScheduler', () => {
  function countsByTask(count: number, tex: string): number[] {
    const tasks: (() => void)[] = [];
    const counts = [0];
    const scheduleDrawing = createFormulaScheduler((task) => tasks.push(task));
    for (let index = 0; index < count; index += 1) {
      scheduleDrawing(tex, () => {
        counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
      });
    }
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      counts.push(0);
      task();
    }
    return counts.filter((number) => number > 0);
  }

  it('draws a few formulas immediately', () => {
    expect(countsByTask(50, 'x^2 + y^2')).to.deep.equal([50]);
  });

  it('spreads many or long formulas over tasks until all are drawn', () => {
    const tiny = countsByTask(2500, 'x');
    expect(Math.max(...tiny)).to.be.lessThan(250);
    expect(tiny.reduce((sum, count) => sum + count)).to.equal(2500);
    expect(countsByTask(3, 'x'.repeat(4000))).to.deep.equal([1, 1, 1]);
  });

  it('does not draw cancelled formulas', () => {
    const tasks: (() => void)[] = [];
    const scheduleDrawing = createFormulaScheduler((task) => tasks.push(task));
    scheduleDrawing('x'.repeat(4000), () => {});
    const cancel = scheduleDrawing('y', () => {
      throw new Error('It was cancelled.');
    });
    cancel?.();
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) task();
  });
});
