import { expect } from 'chai';
import { describe, it } from 'mocha';
import temml from 'temml';
import { formulaOptions } from '../../../client/markdown/typeset-formula.ts';

const drawn = (tex: string) => temml.renderToString(tex, formulaOptions(true));

describe('A formula', () => {
  it('becomes MathML that keeps its TeX', () => {
    expect(drawn('\\frac{a}{b}'))
      .to.match(/^<math/)
      .and.include('<mfrac>')
      .and.include('application/x-tex');
  });

  for (const tex of [
    '\\href{https://evil.example}{a}',
    '\\url{https://evil.example}',
    '\\includegraphics{https://evil.example/a.png}',
    '\\class{header}{a}',
    '\\id{main}{a}',
    '\\style{position:fixed}{a}',
    '\\data{a=b}{a}',
    '\\def\\a{\\a\\a}\\a',
    '\\def\\a{aaaaaaaaaa}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b}\\def\\d{\\c\\c\\c\\c\\c\\c\\c\\c}\\d',
    '{'.repeat(4000),
    '\\frac'.repeat(700),
    '\\nosuchcommand',
  ]) {
    it(`is refused where it tries more: ${tex.slice(0, 40)}`, () => {
      expect(() => drawn(tex)).to.throw();
    });
  }

  for (const tex of [
    '{'.repeat(1900) + '}'.repeat(1900),
    '\\sqrt{'.repeat(500) + '}'.repeat(500),
    'x^'.repeat(1300),
    '\\left('.repeat(600),
  ]) {
    it(`takes a moment, drawn or not: ${tex.slice(0, 20)}`, () => {
      const startedAt = performance.now();
      try {
        drawn(tex);
      } catch {
        // Refused is as good.
      }
      expect(performance.now() - startedAt).to.be.lessThan(2000);
    });
  }

  it('takes no more room than a page has', () => {
    const sizes = (tex: string) => drawn(tex).replace(/<annotation.*<\/annotation>/, '');
    expect(sizes('\\rule{1000em}{1000em}')).not.to.include('1000em');
    expect(sizes('\\hspace{99999pt}')).not.to.include('99999');
  });

  it('leaves its macros to itself', () => {
    drawn('\\gdef\\mine{x}\\mine');
    expect(() => drawn('\\mine')).to.throw();
  });
});
