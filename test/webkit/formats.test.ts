import { expect } from 'chai';
import { describe, it } from 'mocha';
import { turn } from '../client/chat/turns.ts';
import { perSuite } from '../support/per-suite.ts';
import { button, keys } from '../support/webdriver.ts';
import { openWebKit } from '../support/webkit-process.ts';
import { composer, draft, openDemo } from './support/conversation.ts';
import { startProduct } from './support/product.ts';

const reply = `## Where we stand

Costs fall by \\(x^2\\), **soon**, says [the report](https://a.example).

1. First
   - [x] Inner

> Said *softly*.

> [!NOTE]
> A note.

\`\`\`ts
const week = 3;
\`\`\`

$$
\\frac{a}{b}
$$

| Plant | Cost |
|---|--:|
| North | 1,200 |
| South | 900 |

\`\`\`mermaid
flowchart LR
  A[Order] --> B[Ship]
\`\`\`

The end.`;

describe('The formats of a reply', () => {
  const product = perSuite(() => startProduct());
  const page = perSuite(() => openWebKit());

  it('include headings, formulas, lists, quotes, code, tables, charts and diagrams', async () => {
    await openDemo(page, product, [turn('Where do we stand?', reply)]);
    const formats = [
      'h2, h3, h4',
      'strong',
      'a[href^="https://a.example"]',
      'ol > li ul > li [role=img]',
      'blockquote em',
      'pre code span',
      'math msup',
      'math[display=block] mfrac',
      'table th',
    ];
    await page.until(
      (formats) => formats.every((format) => document.querySelector(`article ${format}`) !== null),
      formats.map((format) => `:is(${format})`),
    );

    const { height, lineHeight } = await page.evaluate(() => {
      const paragraph = document.querySelector('article p:has(math)') ?? document.body;
      return { height: paragraph.clientHeight, lineHeight: Number.parseFloat(getComputedStyle(paragraph).lineHeight) };
    });
    expect(height).to.be.closeTo(lineHeight, 2);

    await page.click(button('Show chart'));
    const widths = await page.until(() => {
      const bars = [...document.querySelectorAll('[title$=")"]')].map((bar) => bar.getBoundingClientRect().width);
      return bars.length === 2 ? bars : undefined;
    });
    expect(Math.round((1200 * (widths[1] ?? 0)) / (widths[0] ?? 0))).to.equal(900);

    await page.evaluate(() => document.querySelector('iframe')?.scrollIntoView({ block: 'center' }));
    await page.waitFor({ selector: 'iframe[title=Diagram]', name: /.*/ });
    const frame = { selector: 'iframe[title=Diagram]' };
    await page.until(() => (document.querySelector('iframe')?.clientHeight ?? 0) > 20);
    const drawn = await page.evaluateInFrame(frame, () => document.querySelector('#diagram')?.textContent ?? '');
    expect(drawn).to.include('Order').and.include('Ship');
  });

  it('are copied as Markdown', async () => {
    await openDemo(page, product, [turn('Where do we stand?', 'Run **this** now.')]);
    await page.click(button('Copy reply'));
    await page.waitFor(button('Copied'));
    await page.click(composer);
    await page.press(keys.control, 'v');
    await page.until(() => document.querySelector('textarea')?.value !== '');
    expect(await draft(page)).to.equal('Run **this** now.');
  });
});
