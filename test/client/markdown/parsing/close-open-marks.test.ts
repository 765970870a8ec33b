import { expect } from 'chai';
import { describe, it } from 'mocha';
import { closeOpenMarks } from '../../../../client/markdown/parsing/close-open-marks.ts';

describe('closeOpenMarks', () => {
  for (const [text, expected] of [
    // Open marks are closed.
    ['a **bo', 'a **bo**'],
    ['a **bold*', 'a **bold**'],
    ['a *b* and _c', 'a *b* and _c_'],
    ['***both', '***both***'],
    ['~~old', '~~old~~'],
    ['~~old~', '~~old~~'],
    ['run `npm', 'run `npm`'],
    ['``a ` b', '``a ` b``'],
    ['**a `b', '**a `b`**'],
    ['**bold ', '**bold**'],
    ['**https://b.c/_d', '**https://b.c/_d**'],
    // Marks without text, and formulas, footnote marks and tags without their end
    ['a *', 'a'],
    ['a **', 'a'],
    ['a `', 'a'],
    ['a ~', 'a'],
    ['a \\', 'a'],
    ['a \\(x_1 + ', 'a'],
    ['a \\[x_1', 'a'],
    ['a $$x', 'a'],
    ['a $x_1', 'a'],
    ['a[^', 'a'],
    ['a[^1', 'a'],
    ['a <', 'a'],
    ['a <ht', 'a ht'],
    ['a <b', 'a'],
    ['a <br', 'a'],
    ['a <BR /', 'a'],
    ['**a<br/', '**a**'],
    ['a *b <https://b.c/d_e', 'a *b https://b.c/d_e*'],
    ['a **\\(x_1', 'a'],
    ['a **b `', 'a **b**'],
    ['a **see [', 'a **see**'],
    ['a ***![', 'a'],
    // An open link shows only its text.
    ['see [the report', 'see [the report]()'],
    ['see [the report]', 'see [the report]()'],
    ['see [the report](https://exam', 'see [the report]()'],
    ['see [the report](https://exam.ple/a_(b', 'see [the report]()'],
    ['see [the report](https://exam.ple/a_(b)', 'see [the report]()'],
    ['see ![the report](x', 'see ![the report]()'],
    ['**see [the *repo', '**see [the *repo*]()**'],
    ['see [1] and [2] or [the report', 'see [1] and [2] or [the report]()'],
    ['a [b [c', 'a [b [c]()'],
    ['[see [the report](https://b.c) *no', '[see [the report](https://b.c) *no*'],
    ['![see [the report](https://b.c) no', '![see [the report](https://b.c) no]()'],
    // Marks within emphasis or code that do not end it.
    ['*値**数', '*値**数***'],
    ['*値**数*', '*値**数***'],
    ['*a*b', '*a*b*'],
    ['**a**b', '**a**b'],
    ['*a [b] c', '*a [b] c*'],
    ['``a `', '``a``'],
    ['`` a`b` c', '`` a`b` c``'],
    ['``a` `', '``a` ``'],
  ] as const) {
    it(`turns ${JSON.stringify(text)} into ${JSON.stringify(expected)}`, () => {
      expect(closeOpenMarks(text)).to.equal(expected);
    });
  }

  for (const text of [
    ...['2 * 3 = 6', '2*3*4', '10**3**2', 'a*(b)*c', '__init__.py', 'snake_case_name', 'from $5 to $6 *now*'],
    ...['**done** and *done*', '`a*b`', '`a <br`', '\\*', 'a <b c', 'a <b>c</b>', 'a<br>', 'a <b_c@d.e>'],
    ...['a [1] b', '[a](http://b.c)', '[a](http://b.c/d_(e)_f)', '[a](see (b c)', 'a <https://b.c/_d>'],
    'a https://b.c/_d',
    ...['a \\(b_1 * c\\) d', 'a $b_1$', 'a \\(f\\) and \\) b', 'a[^1]'],
  ]) {
    it(`does not change ${JSON.stringify(text)}`, () => {
      expect(closeOpenMarks(text)).to.equal(text);
    });
  }

  it('does not close a mark that was opened long before the end', () => {
    const footnote = `*Prices exclude taxes. ${'word '.repeat(120)}end`;
    expect(closeOpenMarks(footnote)).to.equal(footnote);
  });
});
