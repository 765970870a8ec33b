import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { blocksHtml, spreadsheetHtml } from '../../../client/markdown/blocks-html.ts';
import { readLinkTarget } from '../../../client/markdown/link-target.ts';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';
import { hostileTexts } from './hostile-texts.ts';
import { markdownTexts } from './markdown-texts.ts';

const html = (text: string) => blocksHtml(readBlocks(text));

describe('A reply as HTML for another program', () => {
  for (const [written, expected] of [
    ['A **b** *c* ~~d~~ `e`', '<p>A <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>'],
    ['One\ntwo', '<p>One<br>two</p>'],
    ['One<br/>two', '<p>One<br>two</p>'],
    ['## A', '<h2>A</h2>'],
    ['[a](https://b.example)', '<p><a href="https://b.example/">a</a></p>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['- a\n  - b', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
    ['- [x] a\n- [ ] b', '<ul><li>☑ a</li><li>☐ b</li></ul>'],
    ['> a', '<blockquote><p>a</p></blockquote>'],
    ['```ts\na < b\n```', '<pre><code>a &lt; b</code></pre>'],
    ['a \\(x^2\\)', '<p>a <code>x^2</code></p>'],
    ['a[^1]\n\n[^1]: b', '<p>a<sup>1</sup></p>\n<div><sup>1</sup> b</div>'],
    ['שלום', '<p dir="rtl">שלום</p>'],
    ['مرحبا\n\nHello', '<p dir="rtl">مرحبا</p>\n<p>Hello</p>'],
    ['<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
    ['[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>'],
    ['a "b" \'c\' &amp;lt;', '<p>a &quot;b&quot; &#39;c&#39; &amp;lt;</p>'],
  ] as const) {
    it(`is ${expected} for ${JSON.stringify(written)}`, () => {
      expect(html(written)).to.equal(expected);
    });
  }

  it('has a table as a table with lines', () => {
    expect(html('| a | b |\n|--|--:|\n| 1 | **2** |')).to.equal(
      '<table border="1" cellpadding="4" cellspacing="0">' +
        '<thead><tr><th>a</th><th align="right">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td align="right"><strong>2</strong></td></tr></tbody></table>',
    );
  });

  it('has the cells of a table as they were written: in a letter, an apostrophe would be one', () => {
    expect(html('| a |\n|-|\n| =1+2 |')).to.include('<td>=1+2</td>');
  });

  const allowed =
    /<\/?(?:h[1-6]|p|div|blockquote|ul|ol|li|pre|code|table|thead|tbody|tr|th|td|strong|em|del|sup|br|hr)(?: dir="rtl"| start="\d+"| align="(?:left|center|right)"| border="1" cellpadding="4" cellspacing="0")*>|<a href="([^"<>]*)">|<\/a>/g;

  it('holds no element, attribute or address but those of a document, whatever the reply', () => {
    const texts = fc.oneof(
      markdownTexts,
      fc
        .array(fc.oneof(markdownTexts, fc.constantFrom(...hostileTexts.map(({ written }) => written))))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const made = html(text);
        for (const [, href] of made.matchAll(allowed)) {
          if (href !== undefined)
            expect(readLinkTarget(href.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))).not.to.equal(undefined);
        }
        expect(made.replace(allowed, '')).not.to.match(/[<>"']/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('A table as HTML for a spreadsheet', () => {
  const cellOf = (written: string) => {
    const [table] = readBlocks(`| ${written} |\n|-|\n| ${written} |`);
    if (table?.type !== 'table') throw new Error('This is no table.');
    const [, head, cell] = /<th>(.*)<\/th>.*<td>(.*)<\/td>/.exec(spreadsheetHtml(table)) ?? [];
    expect(head).to.equal(cell);
    return cell;
  };

  for (const [written, expected] of [
    ['=1+2', '&#39;=1+2'],
    ['=HYPERLINK("x")', '&#39;=HYPERLINK(&quot;x&quot;)'],
    ['@cmd', '&#39;@cmd'],
    ['+a', '&#39;+a'],
    ['- text', '&#39;- text'],
    ['**=1+2**', '&#39;<strong>=1+2</strong>'],
    ['`=1+2`', '&#39;<code>=1+2</code>'],
    ['&Tab;=1+2', '&#39;\t=1+2'],
    ['＝1+2', '&#39;＝1+2'],
    ['"=1+2"', '&#39;&quot;=1+2&quot;'],
    ['a<br>=1+2<br>-3', 'a<br>&#39;=1+2<br>-3'],
    ['**a<br>b**=1 *c<br>@d*', '<strong>a</strong><br><strong>b</strong>=1 <em>c</em><br>&#39;<em>@d</em>'],
    ['**a<br>**@b', '<strong>a</strong><br>&#39;@b'],
  ] as const) {
    it(`has an apostrophe before ${written}`, () => {
      expect(cellOf(written)).to.equal(expected);
    });
  }

  for (const written of ['-5', '+5', '-€1.2M', '−5', 'a=1', '']) {
    it(`leaves ${JSON.stringify(written)} as it is`, () => {
      expect(cellOf(written)).to.equal(written);
    });
  }
});
