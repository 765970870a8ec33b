import { expect } from 'chai';
import { describe, it } from 'mocha';
import { formulaTree, typesetFormula } from '../../../../client/markdown/formulas/typeset-formula.ts';
import { processorMilliseconds } from '../../../support/processor-time.ts';

const markupOf = (tex: string) => formulaTree(tex, true)?.toMarkup();

describe('formulaTree', () => {
  it('returns MathML with its TeX as an annotation', () => {
    expect(markupOf('\\frac{a}{b}'))
      .to.match(/^<math/)
      .and.include('<mfrac>')
      .and.include('application/x-tex');
  });

  for (const tex of [
    ...['\\href{https://evil.example}{a}', '\\url{https://evil.example}', '\\includegraphics{https://evil.example/a}'],
    ...['\\class{header}{a}', '\\id{main}{a}', '\\style{position:fixed}{a}', '\\data{a=b}{a}', '\\nosuchcommand'],
    ...['\\def\\a{x}\\a', '\\gdef\\a{x}\\a', '\\edef\\a{x}\\a', '\\xdef\\a{x}\\a', '\\let\\a=x\\a'],
    ...['\\futurelet\\a xy', '\\global\\def\\a{x}\\a', '\\long\\def\\a{x}\\a', 'a\\\\\\def\\a{x}\\a'],
    ...['\\newcommand{\\a}{x}\\a', '\\renewcommand{\\frac}{x}\\frac', '\\providecommand{\\a}{x}\\a'],
    `\\def\\a{${'x'.repeat(2000)}}${'\\a'.repeat(150)}`,
    'x^2'.repeat(1300),
    `\\begin{matrix}${'&'.repeat(3900)}\\end{matrix}`,
    ...['\\cancelto{x}{', '\\llap{', '\\mathllap{', '\\equilibriumRight{', '\\equilibriumLeft{'].map(
      (command) => command.repeat(22) + 'x'.repeat(100) + '}'.repeat(22),
    ),
    `${'\\sqrt{'.repeat(24)}x${'}'.repeat(24)}`,
    '{'.repeat(4000),
    '\\frac'.repeat(700),
  ]) {
    it(`rejects unsafe, invalid and excessive TeX within a second: “${tex.slice(0, 40)}”`, () => {
      expect(processorMilliseconds(() => expect(markupOf(tex)).to.equal(undefined))).to.be.lessThan(1000);
    });
  }

  for (const [tex, shown] of [
    ['100% = 20%', '100%=20%'],
    ['\\frac{1}{2} \\times 100% = 50\\%', '12×100%=50%'],
    ['a \\\\% b', 'a%b'],
    ['# = 3', '#=3'],
    ['\\text{5% of sales}', '5% of sales'],
    ['\\text{net_profit & {tax #1} at $5} + x_1', 'net_profit & tax #1 at $5+x1'],
    ['\\text{if $x_1 > 0$}', 'if x1>0'],
    ['\\begin{cases} 1 & \\text{R&D} \\\\ x_2 \\end{cases}', '{1R&Dx2'],
  ] as const) {
    it(`shows special characters that are not escaped: “${tex}”`, () => {
      const markup = (markupOf(tex) ?? '').replace(/<annotation.*<\/annotation>/, '').replace(/<[^>]*>/g, '');
      expect(markup.replaceAll('\u00A0', ' ').replaceAll('&amp;', '&').replaceAll('&gt;', '>')).to.equal(shown);
    });
  }

  for (const tex of ['a\\\\let b', '\\cancelto{0}{x} + \\cancelto{1}{y}', '\\longrightarrow']) {
    it(`accepts a formula that only resembles a rejected one: “${tex}”`, () => {
      expect(markupOf(tex)).to.match(/^<math/);
    });
  }

  for (const tex of [
    '{'.repeat(1900) + '}'.repeat(1900),
    '\\sqrt{'.repeat(500) + '}'.repeat(500),
    'x^'.repeat(1300),
    '\\left('.repeat(600),
  ]) {
    it(`takes at most two seconds for deep nesting: “${tex.slice(0, 20)}”`, () => {
      expect(processorMilliseconds(() => markupOf(tex))).to.be.lessThan(2000);
    });
  }

  it('limits the lengths that a formula can set', () => {
    const sizes = (tex: string) => (markupOf(tex) ?? '').replace(/<annotation.*<\/annotation>/, '');
    expect(sizes('\\rule{1000em}{1000em}')).not.to.include('1000em');
    expect(sizes('\\hspace{99999pt}')).not.to.include('99999');
  });
});

describe('typesetFormula', () => {
  it('returns false if MathML is switched off, so that its elements have no `style`', () => {
    Object.assign(globalThis, { document: { createElementNS: () => ({}), createElement: () => ({}) } });
    try {
      expect(typesetFormula('\\frac{1}{2}', false, {} as HTMLElement)).to.equal(false);
    } finally {
      Reflect.deleteProperty(globalThis, 'document');
    }
  });
});
