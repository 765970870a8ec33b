import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  canContinue,
  exhaustedBudget,
  isLimitOrBudget,
  type ProblemEnding,
  problemOf,
  problems,
} from '../../../client/turns/problem.ts';
import { budgetSentences, capacitySentences, errorCodes, errors } from '../../../shared/errors.ts';

const failed = (parts: Partial<ProblemEnding & { type: 'failed' }>): ProblemEnding => ({
  type: 'failed',
  requestId: 'turn-1',
  sentence: 'Something else.',
  code: undefined,
  status: 500,
  ...parts,
});

const remediesOf = (ending: ProblemEnding, hasReply = false): readonly string[] =>
  problems[problemOf(ending, hasReply)];

describe('The problem of an ending', () => {
  it('offers another attempt only if that can help', () => {
    const helps = errorCodes.filter((code) => remediesOf(failed({ code })).includes('tryAgain'));
    expect(helps).to.have.members(['RATE_LIMITED', 'UPSTREAM_OVERLOADED', 'UPSTREAM_ERROR', 'INTERNAL']);
  });

  it('depends on the status of a response without a known code', () => {
    // A browser hides the status of a redirect.
    const names = [504, 500, 499, 403, 413, 0].map((status) => problemOf(failed({ status }), false));
    expect(names).to.deep.equal(['unavailable', 'unavailable', 'refused', 'refused', 'tooLong', 'refused']);
  });

  it('offers another attempt if the session ended during the reply, but not if it ended before', () => {
    const ended = failed({ code: 'UNAUTHENTICATED', sentence: errors.UNAUTHENTICATED.sentence, status: 401 });
    expect(remediesOf(ended, false)).to.deep.equal(['signIn']);
    expect(remediesOf(ended, true)).to.deep.equal(['signIn', 'tryAgain']);
    const notOnboarded = failed({ code: 'NOT_ONBOARDED', sentence: errors.NOT_ONBOARDED.sentence, status: 403 });
    expect(remediesOf(notOnboarded, true)).to.deep.equal(['onboarding']);
  });

  it('distinguishes capacity limits and budgets by the sentence of the service', () => {
    const full = Object.values(capacitySentences).map((sentence) => failed({ code: 'UPSTREAM_OVERLOADED', sentence }));
    expect(full.map((ending) => problemOf(ending, false))).to.deep.equal([
      'serviceFull',
      'demoFull',
      'userFull',
      'serviceFull',
      'serviceFull',
    ]);
    for (const [owner, sentence] of Object.entries(budgetSentences)) {
      const ending = failed({ code: 'RATE_LIMITED', sentence });
      expect([exhaustedBudget(ending), isLimitOrBudget(ending)]).to.deep.equal([`${owner}Budget`, true]);
    }
  });

  it('depends on whether text of the reply arrived before the connection was lost', () => {
    const endings = [
      { type: 'interrupted', requestId: 'turn-1' } as const,
      { type: 'left', requestId: 'turn-1' } as const,
    ];
    expect(endings.map((ending) => problemOf(ending, true))).to.deep.equal(['cut', 'pageLeftDuringReply']);
    expect(endings.map((ending) => problemOf(ending, false))).to.deep.equal(['unreachable', 'pageLeftBeforeReply']);
  });
});

describe('isLimitOrBudget', () => {
  it('returns true for RATE_LIMITED, but not for UPSTREAM_OVERLOADED or a stopped turn', () => {
    expect(isLimitOrBudget(failed({ code: 'RATE_LIMITED', sentence: errors.RATE_LIMITED.sentence }))).to.equal(true);
    expect(isLimitOrBudget(failed({ code: 'UPSTREAM_OVERLOADED' }))).to.equal(false);
    expect(isLimitOrBudget({ type: 'stopped' })).to.equal(false);
  });
});

describe('canContinue', () => {
  it('returns true for an incomplete reply with text, if another attempt can help', () => {
    const interrupted = { type: 'interrupted', requestId: 'turn-1' } as const;
    expect(canContinue(interrupted, true)).to.equal(true);
    expect(canContinue({ type: 'stopped' }, true)).to.equal(true);
    expect(canContinue(failed({ code: 'UPSTREAM_ERROR' }), true)).to.equal(true);
    expect(canContinue(interrupted, false)).to.equal(false);
    expect(canContinue({ type: 'done' }, true)).to.equal(false);
    expect(canContinue(failed({ code: 'UPSTREAM_BAD_REQUEST' }), true)).to.equal(false);
  });
});
