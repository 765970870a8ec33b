import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isLimit, limitOf, type ProblemEnding, problemOf, problems } from '../../../client/chat/problem.ts';
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

describe('a problem with a turn', () => {
  it('offers to try again only where that can help', () => {
    const helps = errorCodes.filter((code) => remediesOf(failed({ code })).includes('tryAgain'));
    expect(helps).to.have.members(['RATE_LIMITED', 'UPSTREAM_OVERLOADED', 'UPSTREAM_ERROR', 'INTERNAL']);
  });

  it('goes by the status where a proxy answered in its own words', () => {
    expect(problemOf(failed({ status: 504 }), false)).to.equal('unavailable');
    expect(problemOf(failed({ status: 403 }), false)).to.equal('refused');
  });

  it('says what is full, and whose budget is used up', () => {
    const full = Object.values(capacitySentences).map((sentence) => failed({ code: 'UPSTREAM_OVERLOADED', sentence }));
    expect(full.map((ending) => problemOf(ending, false))).to.deep.equal(['serviceFull', 'demoFull', 'userFull']);
    for (const [owner, sentence] of Object.entries(budgetSentences)) {
      const ending = failed({ code: 'RATE_LIMITED', sentence });
      expect({ limit: limitOf(ending), isLimit: isLimit(ending) }).to.deep.equal({
        limit: `${owner}Budget`,
        isLimit: true,
      });
    }
  });

  it('is a limit only where the service has asked to wait', () => {
    expect(isLimit(failed({ code: 'RATE_LIMITED', sentence: errors.RATE_LIMITED.sentence }))).to.equal(true);
    expect(isLimit(failed({ code: 'UPSTREAM_OVERLOADED' }))).to.equal(false);
    expect(isLimit({ type: 'stopped' })).to.equal(false);
  });

  it('tells a reply that was cut off from a question that got none', () => {
    const endings = [
      { type: 'interrupted', requestId: 'turn-1' } as const,
      { type: 'left', requestId: 'turn-1' } as const,
    ];
    expect(endings.map((ending) => problemOf(ending, true))).to.deep.equal(['cut', 'replyLeft']);
    expect(endings.map((ending) => problemOf(ending, false))).to.deep.equal(['unreachable', 'questionLeft']);
    expect(problemOf({ type: 'unsent' }, false)).to.equal('unreachable');
  });
});
