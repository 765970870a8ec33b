import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { formatAppendedError } from '../../shared/errors.ts';
import { audit } from './audit/audit.ts';
import { budgetDefects } from './audit/budget-defects.ts';
import { defects, isLeftLate } from './audit/defects.ts';
import { simulateRun } from './audit/simulated-run.ts';
import { suspensionDefects } from './audit/suspension-defects.ts';
import type { Records } from './records.ts';

const anySeed = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe('the audit of a soak', () => {
  it('has nothing to say about a run in which everything went as it should', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        expect(audit(simulateRun(seed))).to.deep.equal([]);
      }),
      { numRuns: 50 },
    );
  });

  for (const [name, { rule, sees, plant }] of Object.entries({ ...defects, ...budgetDefects, ...suspensionDefects })) {
    it(`sees that ${name}`, () => {
      fc.assert(
        fc.property(anySeed, (seed) => {
          const records = simulateRun(seed);
          fc.pre(hasAllKinds(records));
          plant(records);
          const seen = audit(records).filter((violation) => violation.rule === rule);
          expect(seen.map(({ detail }) => detail).join('\n')).to.include(sees);
        }),
        { numRuns: 5 },
      );
    });
  }

  it('lets a crash cost the replies that were in flight, and nothing else', () => {
    const records = simulateRun(1);
    const [crash] = records.faults;
    expect(records.attempts.filter(({ ending }) => ending === 'cut')).to.have.length(1);
    Object.assign(crash ?? {}, { failing: ['product stopped'] });
    expect(audit(records).map(({ rule }) => rule)).to.include('stored replies');
  });

  it('finds for each of two replies that came at the same time a count of its own', () => {
    const records = simulateRun(1);
    const { questions, attempts, replies, stored } = records;
    const first = replies.find(({ turn, text }) => turn % 5 !== 0 && text === '');
    const question = questions.find(({ turn }) => turn === first?.turn);
    const attempt = attempts.find(({ turn }) => turn === first?.turn);
    const row = stored.tokenUses.find(({ usedAt }) => first && Math.abs(usedAt - first.arrivedAt) < 100);
    if (!first || !question || !attempt || !row) throw new Error('The run has no reply without text.');
    const turn = 1_000;
    const { arrivedAt } = first;
    questions.push({ ...question, turn });
    attempts.push({ ...attempt, turn, requestId: 'the other tab', sentAt: arrivedAt + 400 });
    replies.push({ ...first, turn, arrivedAt: arrivedAt + 500 });
    // What was asked first waited in the database until the other was there, and both counts fit it.
    first.arrivedAt = arrivedAt + 900;
    row.usedAt = arrivedAt + 450;
    stored.tokenUses.push({ ...row, usedAt: arrivedAt + 850 });
    expect(audit(records).filter(({ rule }) => rule === 'token counts')).to.deep.equal([]);
  });

  it('expects to be shown of a cut reply what cannot be the beginning of an error line', () => {
    const records = simulateRun(1);
    const cut = records.attempts.find(({ ending }) => ending === 'cut');
    const reply = records.replies.find(({ turn }) => turn === cut?.turn);
    if (cut === undefined || reply === undefined) throw new Error('The run has no cut reply.');
    const beginning = '\n\n[';
    reply.text = cut.body + beginning + reply.text.slice(cut.body.length);
    cut.body += beginning;
    expect(audit(records)).to.deep.equal([]);
  });

  it('takes the counts of a limiter that was alone, or that lost them, for one more limit', () => {
    const records = simulateRun(1);
    const mostOfOne = 14;
    records.limits.live = { requests: mostOfOne / 2, windowSeconds: 3_600 };
    expect(audit(records).map(({ rule }) => rule)).to.include('limits');
    records.redisEmptiedAt.push(records.attempts[20]?.sentAt ?? 0);
    records.awayFromRedis.push({ limiter: 'live', life: 0, from: 0, to: Number.MAX_VALUE });
    expect(audit(records).map(({ rule }) => rule)).not.to.include('limits');
  });
});

/** Whether the run has an example of everything that a defect is planted in. */
function hasAllKinds({ attempts, questions }: Records): boolean {
  const line = formatAppendedError('UPSTREAM_ERROR');
  return (
    attempts.some(({ body, turn }) => turn % 5 !== 0 && body.endsWith(line)) &&
    attempts.some(isLeftLate) &&
    questions.some(({ shown }) => shown?.ending === 'failed')
  );
}
