import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readEngagementState } from '../../../server/engagement/engagement-state.ts';

const lists = { hypotheses: [], unknowns: [], findings: [] };
const blank = { week: 2, ...lists };

describe('readEngagementState', () => {
  for (const [title, stored, expected, unreadable] of [
    [
      'accepts strings as entries, a finding without its week',
      { hypotheses: ['Changeovers limit output'], unknowns: ['Which machines?'], findings: ['Waits dominate'] },
      {
        hypotheses: [{ statement: 'Changeovers limit output', status: 'open', evidence: [] }],
        unknowns: [{ question: 'Which machines?' }],
        findings: [{ statement: 'Waits dominate' }],
      },
      [],
    ],
    ['accepts an empty focus', { focus: null }, {}, []],
    [
      'leaves out anything that is not a list',
      { hypotheses: { statement: 'One' }, unknowns: null, findings: 'One' },
      {},
      Object.keys(lists),
    ],
    [
      'leaves out entries that cannot be read, and only these',
      { hypotheses: [{ statement: 'One', status: 'won' }, 'Two', null, { text: 'Three' }] },
      { hypotheses: [{ statement: 'Two', status: 'open', evidence: [] }] },
      ['hypotheses.0', 'hypotheses.2', 'hypotheses.3'],
    ],
    ['leaves out a week and a focus out of bounds', { week: 521, focus: ' ' }, { week: undefined }, ['week', 'focus']],
    [
      'leaves out the entries beyond the maximum',
      { unknowns: Array(60).fill('Why?') },
      { unknowns: Array(50).fill({ question: 'Why?' }) },
      ['unknowns.50'],
    ],
  ] as const) {
    it(title, () => {
      const { week, ...others } = { ...blank, ...expected } as { week?: number };
      const state = { ...others, ...(week !== undefined && { week }) };
      expect(readEngagementState({ ...blank, ...stored })).to.deep.equal({ state, unreadable });
    });
  }
});
