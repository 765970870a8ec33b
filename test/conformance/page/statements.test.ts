import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Outcome, statementCount, summaryOf } from './statements.ts';

describe('summaryOf', () => {
  const all = (): Outcome[] =>
    Array.from({ length: statementCount }, (_, index) => ({ title: `${index + 1} It is so`, passed: true }));

  it('counts every statement that has passed, and nothing else', () => {
    const others = [
      { title: 'keeps statement 7', passed: false },
      { title: '44: in the browser', passed: true },
    ];
    expect(summaryOf([...all(), ...others])).to.deep.equal({ allProven: true, text: '133 of 133 statements proven' });
  });

  it('names what is missing, has failed, is there twice or is none of the specification', () => {
    const outcomes = all().filter(({ title }) => !title.startsWith('12 '));
    const failed = outcomes.map(({ title, passed }) => ({ title, passed: passed && !title.startsWith('44 ') }));
    const more = [...failed, { title: '13 It is so again', passed: true }, { title: '134 It is new', passed: true }];
    expect(summaryOf(more)).to.deep.equal({
      allProven: false,
      text: '130 of 133: missing 12, failed 44, twice 13, unknown 134',
    });
  });

  it('counts nothing of a run without tests', () => {
    const { allProven, text } = summaryOf([]);
    expect(allProven).to.equal(false);
    expect(text).to.match(/^0 of 133: missing 1 2 3 /);
  });
});
