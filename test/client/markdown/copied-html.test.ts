import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { copiedHtml } from '../../../client/markdown/copied-html.ts';
import { readLinkTarget } from '../../../client/markdown/parsing/link-target.ts';
import { hostileTexts } from './hostile-texts.ts';
import { markdownTexts } from './markdown-texts.ts';

/** Returns the HTML without line ends, which have no meaning outside of code blocks. */
const html = (text: string) => copiedHtml(text).replaceAll('\n', '');

const mathMl = 'http://www.w3.org/1998/Math/MathML';

describe('copiedHtml', () => {
  for (const [written, expected] of [
    ['A **b** *c* ~~d~~ `e`', '<p>A <strong>b</strong> <em>c</em> <s>d</s> <code>e</code></p>'],
    ['One\ntwo', '<p>One<br>two</p>'],
    ['One<br/>two', '<p>One<br>two</p>'],
    ['## A', '<h2>A</h2>'],
    ['[a](https://b.example)', '<p><a href="https://b.example/">a</a></p>'],
    ['3. a\n9. b', '<ol start="3"><li value="3">a</li><li value="9">b</li></ol>'],
    ['[c.example](https://b.example)', '<p><a href="https://b.example/">c.example (b.example)</a></p>'],
    [
      '**[c.*example*](https://b.example)**',
      '<p><strong><a href="https://b.example/">c.<em>example</em> (b.example)</a></strong></p>',
    ],
    ['- a\n  - b', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
    ['- [x] a\n- [ ] b', '<ul><li>☑ a</li><li>☐ b</li></ul>'],
    ['> a', '<blockquote><p>a</p></blockquote>'],
    ['```ts\na < b<br>\n\n```', '<pre><code>a &lt; b&lt;br&gt;</code></pre>'],
    ['a \\(x^2\\)', `<p>a <math xmlns="${mathMl}"><msup><mi>x</mi><mn>2</mn></msup></math></p>`],
    ['a \\(\\fra\\)', '<p>a <code>\\fra</code></p>'],
    ['a \\(\\ref{b}\\)', '<p>a <code>\\ref{b}</code></p>'],
    ['> [!NOTE]\n> a', '<blockquote><p><strong>Note</strong></p><p>a</p></blockquote>'],
    ['> [!tip] *a*', '<blockquote><p><strong>Tip</strong></p><p><em>a</em></p></blockquote>'],
    ['> [!TIP]\n>\n> a', '<blockquote><p><strong>Tip</strong></p><p>a</p></blockquote>'],
    ['> [!NOTES] a', '<blockquote><p>[!NOTES] a</p></blockquote>'],
    ['[!NOTE] a', '<p>[!NOTE] a</p>'],
    ['![a](https://b.example)', '<p><a href="https://b.example/">a</a></p>'],
    ['[a](https://b.example "c")', '<p><a href="https://b.example/">a</a></p>'],
    [
      '$$\na < b\n$$',
      `<p><math xmlns="${mathMl}" display="block"><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math></p>`,
    ],
    ['שלום', '<p dir="rtl">שלום</p>'],
    ['مرحبا\n\nHello', '<p dir="rtl">مرحبا</p><p>Hello</p>'],
    ['- Hello\n- مرحبا', '<ul><li>Hello</li><li>مرحبا</li></ul>'],
    ['<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
    ['[a](javascript:alert(1))', '<p>a</p>'],
    // Tables have borders.
    [
      '| =a | b |\n|--|--:|\n| =1+2 | **2** |',
      '<table border="1" cellpadding="4" cellspacing="0">' +
        '<thead><tr><th>\'=a</th><th align="right">b</th></tr></thead>' +
        '<tbody><tr><td>\'=1+2</td><td align="right"><strong>2</strong></td></tr></tbody></table>',
    ],
    [
      '| a |\n|--|\n| -5<br>**=1**+`2`<br>b=1 |',
      '<table border="1" cellpadding="4" cellspacing="0"><thead><tr><th>a</th></tr></thead>' +
        "<tbody><tr><td>-5<br><strong>'=1</strong>+<code>2</code><br>b=1</td></tr></tbody></table>",
    ],
    ['a "b" \'c\' &amp;lt;', "<p>a &quot;b&quot; 'c' &amp;lt;</p>"],
  ] as const) {
    it(`returns ${expected} for ${JSON.stringify(written)}`, () => {
      expect(html(written)).to.equal(expected);
    });
  }

  it('nests headings below the given level, at most as the sixth', () => {
    expect(copiedHtml('# A\n\n##### B', { topLevel: 3 })).to.equal('<h3>A</h3>\n<h6>B</h6>');
  });

  const allowed =
    /<\/?(?:h[1-6]|p|blockquote|ul|ol|li|pre|code|table|thead|tbody|tr|th|td|strong|em|s|br|hr)(?: dir="rtl"| (?:start|value)="\d+"| align="(?:left|center|right)"| border="1" cellpadding="4" cellspacing="0")*>|<math xmlns="http:\/\/www\.w3\.org\/1998\/Math\/MathML"(?: display="block")?>|<\/math>|<\/?m[a-z]+(?: (?!class|style|id|href|on)[a-z-]+="[^"<>]*")*>|<a href="([^"<>]*)">|<\/a>/g;

  it('returns only allowed elements, attributes and URLs for hostile replies', () => {
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
          if (href !== undefined) expect(readLinkTarget(href.replaceAll('&amp;', '&'))).not.to.equal(undefined);
        }
        expect(made.replace(allowed, '')).not.to.match(/[<>"]/);
      }),
      { numRuns: 500 },
    );
  });
});
