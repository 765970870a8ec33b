import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  decimalMarkIn,
  decimalMarkOf,
  inferDecimalMark,
  numberOf,
  readNumber,
} from '../../../../client/markdown/tables/read-number.ts';

describe('The functions that read a number', () => {
  for (const [written, usual, value, unit] of [
    ['1,234.5', '.', 1234.5, ''],
    ['1.234,5', '.', 1234.5, ''],
    ['1,234,567', ',', 1234567, ''],
    ['1,234', '.', 1234, ''],
    ['1,234', ',', 1.234, ''],
    ['1.234', ',', 1234, ''],
    ['3.40', ',', 3.4, ''],
    ['0,5', '.', 0.5, ''],
    ['12 %', '.', 12, '%'],
    ['€ 3.40', '.', 3.4, '€'],
    ['−5', '.', -5, ''],
    ['-$5', '.', -5, '$'],
    ['(5)', '.', -5, ''],
    ['1 234,5', '.', 1234.5, ''],
    ['1’234.5', '.', 1234.5, ''],
    ['١٢٣', '.', 123, ''],
    ['١٢٫٥٪', '.', 12.5, '%'],
    ['€950k', '.', 950_000, '€'],
    ['€1.1M', '.', 1_100_000, '€'],
    ['£5m', '.', 5_000_000, '£'],
    ['$2.5B', '.', 2_500_000_000, '$'],
    ['$1.2T', '.', 1_200_000_000_000, '$'],
    ['US$ 3bn', '.', 3_000_000_000, 'US$'],
    ['2,4 Mio. €', ',', 2_400_000, '€'],
    ['3 Mrd. EUR', ',', 3_000_000_000, 'EUR'],
    ['950 k€', ',', 950_000, '€'],
    ['1.2 million', '.', 1_200_000, ''],
    ['(€1.2M)', '.', -1_200_000, '€'],
    ['5 m', '.', 5, 'm'],
    ['5 km', '.', 5, 'km'],
    ['300 K', '.', 300, 'K'],
    ['300K', '.', 300_000, ''],
    ['1.2B', '.', 1_200_000_000, ''],
    ['120 €/t', '.', 120, '€/t'],
    ['500 T€', '.', 500, 'T€'],
    ['12 m²', '.', 12, 'm²'],
    ['1.5億円', '.', 150_000_000, '円'],
    ['9,500万円', '.', 95_000_000, '円'],
    ['¥3千', '.', 3000, '¥'],
    ['2千万円', '.', 20_000_000, '円'],
    ['1.2兆円', '.', 1_200_000_000_000, '円'],
    ['1.2亿元', '.', 120_000_000, '元'],
    ['3万台', '.', 30_000, '台'],
    ['1.5억 원', '.', 150_000_000, '원'],
    ['9,500만원', '.', 95_000_000, '원'],
    ['2조', '.', 2_000_000_000_000, ''],
    ['１，２００円', '.', 1200, '円'],
    ['（１２．５％）', '.', -12.5, '%'],
    ['￥５００', '.', 500, '¥'],
    ['₹5 lakh', '.', 500_000, '₹'],
    ['₹ 1.5 Cr', '.', 15_000_000, '₹'],
    ['Rs. 2 crore', '.', 20_000_000, 'Rs.'],
    ['1’250.500', ',', 1250.5, ''],
    ['₹12,34,567.5', '.', 1_234_567.5, '₹'],
    ['१२३', '.', 123, ''],
    ['\u200E-5%', '.', -5, '%'],
    ['5 L', '.', 5, 'L'],
  ] as const) {
    it(`read “${written}” as ${value} with the default decimal mark “${usual}”`, () => {
      const number = readNumber(written);
      if (number === undefined) throw new Error('It was not read.');
      expect(numberOf(number, decimalMarkIn(number) ?? usual)).to.equal(value);
      expect(number.unit).to.equal(unit);
    });
  }

  for (const text of [
    ...['', 'a', '5 large apples', '1-2', '2026-01', 'Week 3', '1.2.', '01.02.2026', '1.4.2', '--5'],
    ...['5 %%', '€5 %', '€5 h', '€5 €', '5 t €', '1億2,000万円', '€5 lakh crore', `-${' '.repeat(4000)}5`],
  ]) {
    it(`find no number in ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(readNumber(text)).to.equal(undefined);
    });
  }

  for (const [texts, mark] of [
    [['1,240', '980'], '.'],
    [['1.240', '980'], ','],
    [['95', '1.250', '40'], ','],
    [['1240', '980'], undefined],
    [['1,240', '2,310'], undefined],
    [['1,240', '2.310', '95'], undefined],
    [['1,240', '95', '2,5'], undefined],
    [['1,240', '980', '€5k'], undefined],
  ] as const) {
    it(`infer ${mark ? `the decimal mark “${mark}”` : 'no decimal mark'} from the numbers ${texts.join(' and ')}`, () => {
      expect(inferDecimalMark(texts.flatMap((text) => readNumber(text) ?? []))).to.equal(mark);
    });
  }

  it('know the decimal mark of each interface language', () => {
    expect(['en', 'de', 'fr', 'es', 'ja', 'ar'].map(decimalMarkOf)).to.deep.equal(['.', ',', ',', ',', '.', '.']);
  });
});
