import { expect } from 'chai';
import { describe, it } from 'mocha';
import { holdBack } from '../../../client/markdown/hold-back.ts';

describe('holdBack', () => {
  for (const line of [
    '-',
    '- ',
    '#',
    '## ',
    '1',
    '12.',
    '>',
    '> -',
    '**',
    '---',
    '|',
    '|--',
    '`',
    '```',
    '```ts',
    '- ```',
    '- [',
    '- [x',
    '- [x] ',
    '1. *',
    '<',
    '<b',
    '> <br /',
  ]) {
    it(`holds ${line} back until it is known what it will be`, () => {
      expect(holdBack(`Before\n${line}`)).to.equal('Before\n');
    });
  }

  for (const line of [
    '- a',
    '# A',
    '1. a',
    '1. *a',
    '<br>',
    '<b>',
    '> a',
    '**a',
    'a',
    '2026 was',
    '- [x] a',
    '| 1 | 2 |\n|--|--|\n| 3',
  ]) {
    it(`shows ${JSON.stringify(line)}`, () => {
      expect(holdBack(`Before\n${line}`)).to.equal(`Before\n${line}`);
    });
  }

  it('holds the first line of a table back until the line below it tells that it is one', () => {
    expect(holdBack('Before\n\n| Week | Co')).to.equal('Before\n');
    expect(holdBack('Before\n\n| Week | Cost |\n|--')).to.equal('Before\n');
    expect(holdBack('Before\n\n| Week | Cost |\n|--|--|\n')).to.equal('Before\n\n| Week | Cost |\n|--|--|\n');
    expect(holdBack('Before\n\n| no table\nafter')).to.equal('Before\n\n| no table\nafter');
  });
});
