import { expect } from 'chai';
import { describe, it } from 'mocha';
import { tableCsv, tableHtml, tableTsv } from '../../../../client/markdown/tables/table-text.ts';
import { tableOf } from './table-of.ts';

describe('tableTsv and tableCsv', () => {
  it('separate the cells of TSV with tabs, without Markdown syntax', () => {
    const table = tableOf('| Name | **Cost** |', '| [A](https://a.example) | `1` |', '| b |');
    expect(tableTsv(table)).to.equal('Name\tCost\nA\t1\nb\t');
  });

  it('write CSV that conforms to RFC 4180, with a byte order mark', () => {
    const table = tableOf('| Name | Said |', '| Ä, b | "so" |');
    expect(tableCsv(table, '.')).to.equal('\uFEFFName,Said\r\n"Ä, b","""so"""\r\n');
  });

  it('separate the cells of CSV with semicolons where the comma is the decimal mark', () => {
    const table = tableOf('| Name | Cost |', '| A; b | 1,5 |');
    expect(tableCsv(table, ',')).to.equal('\uFEFFName;Cost\r\n"A; b";1,5\r\n');
  });

  it('escape the quotes of a quoted cell', () => {
    expect(tableTsv(tableOf('| a | b |', '| "so" he said | 5" |'))).to.equal('a\tb\n"""so"" he said"\t5"');
  });

  it('keep line breaks within a cell', () => {
    const table = tableOf('| Name | To do |', '| A | 1. "Look"<br>2. Leap <br/> =1 |');
    expect(tableTsv(table)).to.equal('Name\tTo do\nA\t"1. ""Look""\n2. Leap\n\'=1"');
    expect(tableCsv(table, '.')).to.equal('\uFEFFName,To do\r\nA,"1. ""Look""\n2. Leap\n=1"\r\n');
  });

  for (const cell of ['=1+1', '=HYPERLINK("http://x.example")', '+a', '-a', '-1+2', '@SUM(1)', '+1 (0) 5', '＝1+1']) {
    it(`prevent a spreadsheet from running “${cell}” as a formula`, () => {
      const table = tableOf('| a |', `| ${cell} |`);
      expect(tableTsv(table)).to.equal(`a\n'${cell}`);
      expect(tableCsv(table, '.').split('\r\n')[1]).to.match(/^"?'/);
    });
  }

  for (const cell of ['"=1+1', '"=1+1"', '""=1+1"', '"+a"', '"-a"', '"@SUM(1)"', '" =1+1"', '"＝1+1"', '"\t1"']) {
    it(`prevent a spreadsheet from running ${JSON.stringify(cell)} after it removes the quotes`, () => {
      const table = tableOf('| a |', `| ${cell} |`);
      expect(tableTsv(table)).to.match(/^a\n'/);
      expect(tableCsv(table, '.').split('\r\n')[1]).to.match(/^"'/);
    });
  }

  for (const cell of ['-5', '+5', '+3 %', '-1,234.5', '-12 %', '-€3.40', '-€1.2M', '-950 k€', '-', '+', '=']) {
    it(`leave the number or sign “${cell}” unchanged`, () => {
      expect(tableTsv(tableOf('| a |', `| ${cell} |`))).to.equal(`a\n${cell}`);
    });
  }
});

describe('A copied cell with a minus sign or dash', () => {
  for (const [cell, copied] of [
    ['−1.8%', '-1.8%'],
    ['–5', '-5'],
    ['−$40', '-$40'],
    ['2–3', '2–3'],
    ['−x', '−x'],
  ] as const) {
    it(`is “${copied}” for “${cell}”`, () => {
      const table = tableOf('| a |', `| ${cell} |`);
      expect(tableTsv(table)).to.equal(`a\n${copied}`);
      expect(tableCsv(table, '.')).to.equal(`\uFEFFa\r\n${copied}\r\n`);
      expect(tableHtml(table)).to.include(`<td>${copied}</td>`);
    });
  }
});

describe('tableHtml', () => {
  const htmlOf = (cell: string) => /<td>(.*)<\/td>/s.exec(tableHtml(tableOf('| a |', `| ${cell} |`)))?.[1];

  it('writes cells without Markdown syntax, with their line breaks', () => {
    expect(tableHtml(tableOf('| Name | **Cost** |', '| [A](https://a.example)<br>b < c & d | `1` |'))).to.equal(
      '<table border="1"><tr><th>Name</th><th>Cost</th></tr><tr><td>A<br>b &lt; c &amp; d</td><td>1</td></tr></table>',
    );
  });

  for (const [written, expected] of [
    ['=HYPERLINK("x")', '\'=HYPERLINK("x")'],
    ['"=HYPERLINK(""x"")"', '\'"=HYPERLINK(""x"")"'],
    ['**=1+2**', "'=1+2"],
    ['`=1+2`', "'=1+2"],
    ['&Tab;=1+2', "'=1+2"],
    ['a<br>=1+2<br>-3', "a<br>'=1+2<br>-3"],
    ['**a<br>**@b', "a<br>'@b"],
    ['-5', '-5'],
    ['-€1.2M', '-€1.2M'],
    ['a=1', 'a=1'],
  ] as const) {
    it(`writes “${written}” as “${expected}”`, () => {
      expect(htmlOf(written)).to.equal(expected);
    });
  }
});
