import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isLimitOrBudget, type ProblemEnding, problemOf } from '../../../client/turns/problem.ts';
import { capacitySentences, errors } from '../../../shared/errors.ts';

const failed = (parts: Partial<ProblemEnding & { type: 'failed' }>): ProblemEnding => ({
  type: 'failed',
  requestId: 'turn-1',
  sentence: 'Something else.',
  code: undefined,
  status: 500,
  ...parts,
});

describe('The problem of an ending', () => {
  it('depends on the status of the response if its code is unknown', () => {
    // A browser hides the status of a redirect.
    const names = [504, 500, 499, 403, 413, 0].map((status) => problemOf(failed({ status }), false));
    expect(names).to.deep.equal(['unavailable', 'unavailable', 'refused', 'refused', 'tooLong', 'refused']);
  });

  it('distinguishes capacity limits by the sentence of the service', () => {
    const full = Object.values(capacitySentences).map((sentence) => failed({ code: 'UPSTREAM_OVERLOADED', sentence }));
    const names = ['serviceFull', 'demoFull', 'userFull', 'serviceFull', 'serviceFull'];
    expect(full.map((ending) => problemOf(ending, false))).to.deep.equal(names);
  });
});

describe('isLimitOrBudget', () => {
  it('returns true for RATE_LIMITED, but not for UPSTREAM_OVERLOADED or a stopped turn', () => {
    expect(isLimitOrBudget(failed({ code: 'RATE_LIMITED', sentence: errors.RATE_LIMITED.sentence }))).to.equal(true);
    expect(isLimitOrBudget(failed({ code: 'UPSTREAM_OVERLOADED' }))).to.equal(false);
    expect(isLimitOrBudget({ type: 'stopped' })).to.equal(false);
  });
});
