import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { faultKinds } from './faults/fault-kinds.ts';
import { readOptions } from './options.ts';
import { planBudgets } from './plan/budgets.ts';
import { fateNames } from './plan/fates.ts';
import { planEvents } from './plan/fault-plan.ts';
import { planSuspensions } from './plan/suspension-plan.ts';
import { planReply, planTurn } from './plan/turn-plan.ts';

describe('the plan of a soak', () => {
  const run = fc.record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    turns: fc.integer({ min: 20, max: 10_000 }),
    faults: fc.integer({ min: 0, max: 40 }),
  });

  it('is the same for the same seed', () => {
    fc.assert(
      fc.property(run, (options) => {
        expect(planEvents(options)).to.deep.equal(planEvents(options));
        expect(planTurn(options.seed, options.turns)).to.deep.equal(planTurn(options.seed, options.turns));
        expect(planReply(options.seed, options.turns, 2)).to.deep.equal(planReply(options.seed, options.turns, 2));
      }),
    );
  });

  it('has as many faults as it was asked for, in the order of their turns, and restarts in the first third only', () => {
    fc.assert(
      fc.property(run, (options) => {
        const events = planEvents(options);
        const faults = events.flatMap((event) => (event.type === 'fault' ? [event] : []));
        expect(faults).to.have.length(options.faults);
        expect(events).to.deep.equal(events.toSorted((one, other) => one.atTurn - other.atTurn));
        for (const { kind, atTurn } of faults) {
          if (kind.startsWith('product')) expect(atTurn).to.be.at.most(options.turns / 3 + 1);
        }
      }),
    );
  });

  it('looks at memory as often in the second third as in the last', () => {
    const looks = planEvents({ seed: 1, turns: 900, faults: 3 }).filter(({ type }) => type === 'breath');
    expect(looks.filter(({ atTurn }) => atTurn >= 300 && atTurn < 600)).to.have.length(4);
    expect(looks.filter(({ atTurn }) => atTurn >= 600)).to.have.length(4);
  });

  it('has every kind of fault in a standard run, and more than twenty in all', () => {
    const events = planEvents(readOptions([]));
    const kinds = events.flatMap((event) => (event.type === 'fault' ? [event.kind] : []));
    expect(kinds.length).to.be.above(20);
    expect(new Set(kinds)).to.have.all.keys(...faultKinds);
  });

  it('suspends five of a standard run’s people while it lasts, other ones for another seed, and none who are in a hurry', () => {
    const planned = planSuspensions(readOptions([]), 210, 2);
    expect(planned).to.deep.equal(planSuspensions(readOptions([]), 210, 2));
    expect(planned).not.to.deep.equal(planSuspensions(readOptions(['--seed', '7']), 210, 2));
    expect(new Set(planned.map(({ member }) => member)).size).to.equal(5);
    for (const { member, atTurn } of planned) {
      expect(member).to.be.within(2, 209);
      expect(atTurn).to.be.within(1_500, 8_500);
    }
  });

  it('gives everybody a budget for several times what most people ask, and less than twenty tabs do', () => {
    const { user, organization } = planBudgets(readOptions([]));
    const ofMost = (10_000 / 300) * 22_000;
    expect(user).to.be.within(3 * ofMost, 10 * ofMost);
    expect(organization).to.be.within(user, 2 * user);
  });

  it('lets the provider do everything that it can do within a few thousand replies', () => {
    const fates = Array.from({ length: 3_000 }, (_, turn) => planReply(1, turn, 1).fate);
    expect(new Set(fates)).to.have.all.keys(...fateNames);
  });

  it('asks for at least ten thousand turns by hundreds where nothing is said, and for fewer of all in a short run', () => {
    expect(readOptions([])).to.include({ turns: 10_000, users: 300 });
    expect(readOptions(['--turns', '150'])).to.include({ turns: 150, users: 30, faults: 4 });
    expect(readOptions(['--turns', '150', '--users', '7', '--faults', '0', '--seed', '3'])).to.deep.equal({
      turns: 150,
      users: 7,
      faults: 0,
      seed: 3,
    });
  });
});
