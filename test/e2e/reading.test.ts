import { expect } from 'chai';
import { describe, it } from 'mocha';
import { formatAppendedError } from '../../shared/errors.ts';
import { perSuite } from '../support/per-suite.ts';
import { expectAccessible } from './support/axe.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { delayMarkdown, loadMarkdown } from './support/markdown-chunk.ts';
import { distanceBelowHeader, topOf, untilRendered } from './support/rendering.ts';
import { sharedScriptedProduct } from './support/scripted-product.ts';
import { visitDemo } from './support/sign-in.ts';

const paragraphs = (count: number) => Array.from({ length: count }, (_, n) => `Paragraph ${n + 1}.\n\n`).join('');

const table = '| Week | Cost |\n| :--- | ---: |\n| 1 | 20 |\n';

describe('A reply', () => {
  const scripted = perSuite(() => sharedScriptedProduct());

  async function startReply() {
    const { page, ...conversation } = await visitDemo(scripted.product);
    const reply = scripted.nextReply();
    await loadMarkdown(page);
    await conversation.ask('Where do we stand?');
    return { page, ...conversation, ...reply, article: conversation.replies.last() };
  }

  it('renders complete formulas, nested lists, tables and code while it is streamed', async () => {
    const { page, article, end, finished, say } = await startReply();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/typeset/, async (route) => {
      await released;
      await route.continue();
    });
    await say('Costs fall by \\(x^');
    await article.getByText('Costs fall by', { exact: true }).waitFor();
    await say('2\\) a week');
    await article.getByText('\\(x^2\\)', { exact: true }).waitFor();
    expect(await article.textContent()).to.equal('Costs fall by \\(x^2\\) a week');
    await say('.\n\n$$\n\\frac{a');
    await article.getByText('a week.').waitFor();
    expect(await article.textContent()).to.not.contain('frac');
    const marked = '\\cancel{c}\\bcancel{d}\\xcancel{e}\\sout{f}\\fbox{g}\\overline{h}\\underline{i}';
    await say(`}{b}${marked}\\begin{aligned}j&=k\\end{aligned}`);
    await say('\n$$\n\n> One\n> > Two\n\nThe formulas end.');
    await article.getByText('The formulas end.').waitFor();
    release();
    await article.locator('math msup').waitFor();
    await article.locator('math[display=block] mfrac').waitFor();
    const looks = await article.evaluate((reply) => {
      const stylesOf = (part: string) =>
        Array.from(reply.querySelectorAll(`math .tml-${part}`), (element) => getComputedStyle(element));
      const strikes = stylesOf('cancel').filter((style) => style.position === 'absolute' && style.clipPath !== 'none');
      return {
        strikes: new Set(strikes.map(({ clipPath }) => clipPath)).size,
        lines: ['fbox', 'overline', 'underline'].filter((name) =>
          stylesOf(name).some(({ borderStyle }) => borderStyle.includes('solid')),
        ),
        alignments: ['right', 'left'].filter((side) =>
          stylesOf(side).some(({ textAlign }) => textAlign.endsWith(side)),
        ),
      };
    });
    expect(looks).to.deep.equal({
      strikes: 4,
      lines: ['fbox', 'overline', 'underline'],
      alignments: ['right', 'left'],
    });

    await say('\n\n1. First\n   - [x] Inner');
    await article.getByRole('list').getByRole('list').getByRole('img', { name: 'Done', exact: true }).waitFor();
    await say(`\n2. Second\n\n${table}| 2 | **3`);
    await article.getByRole('cell', { name: '3' }).locator('strong').waitFor();
    await say('0** |\n\n```ts\nconst week = ');
    await article.locator('pre').getByText('const week =').waitFor();
    expect(await article.locator('pre span').count()).to.equal(0);
    expect(await page.getByRole('button', { name: /^Copy (code|reply)/ }).count()).to.equal(0);
    await say('3;\n```\n\nThat is all, without \\(\\nosuchcommand\\).');
    await article.getByText('const', { exact: true }).waitFor();
    await article.getByText('\\(\\nosuchcommand\\)', { exact: true }).waitFor();
    await end();
    await finished();
    expect(await article.getByRole('listitem').count()).to.equal(3);
  });

  it('grows below its question at the top of the window, with a button that leads to its end', async () => {
    const { page, article, end, finished, questions, say } = await startReply();
    await say('The first reply.');
    await end();
    await finished();
    const next = scripted.nextReply();
    await conversationOn(page).ask('And then?');
    await next.say(paragraphs(60));
    await article.getByText('Paragraph 60.').waitFor();
    const question = questions.last();
    expect(await distanceBelowHeader(question)).to.be.within(0, 30);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();

    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, 300);
    await untilRendered(page);
    const before = await topOf(question);
    await next.say(`${paragraphs(40)}The end.`);
    await next.end();
    await finished();
    await page.getByRole('button', { name: 'Reply finished · Jump to latest' }).waitFor();
    expect(await topOf(question)).to.equal(before);
  });

  it('that fails out of view shows a notice that links to it, and does not scroll the page', async () => {
    // With reduced motion, positions are final once the page is rendered.
    const { page, ask, dock, error, replies } = await visitDemo(undefined, { reducedMotion: 'reduce' });
    await answerWith(page, `${paragraphs(40)}${formatAppendedError('UPSTREAM_ERROR')}`);
    // Markdown loads only after the reply has ended.
    const release = await delayMarkdown(page);
    await ask('Where do we stand?');
    await error.waitFor();
    release();
    const incomplete = page.getByRole('button', { name: /^Reply incomplete/ });
    await incomplete.waitFor();
    expect(await distanceBelowHeader(replies.getByText('Paragraph 1.', { exact: true }))).to.be.within(0, 240);
    await page.getByRole('button', { name: 'Edit question' }).click();
    await incomplete.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');

    await incomplete.click();
    await incomplete.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.mouse.move(200, 300);
    await page.mouse.wheel(0, -2000);
    await incomplete.click();
    await incomplete.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await untilRendered(page);
    const dockTop = await topOf(dock);
    // Scrolls until only a part of the notice is in view, and then back until none of it is.
    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, Math.round((await topOf(error)) - dockTop + 20));
    await untilRendered(page);
    expect(await incomplete.count()).to.equal(0);
    await page.mouse.wheel(0, -30);
    await incomplete.waitFor();
  });

  it('keeps the selection in its last paragraph, an item, a cell and a line of code while text is added to it and after it', async () => {
    const { page, article, say, end, finished } = await startReply();
    const selected = () => page.evaluate(() => getSelection()?.toString());
    await say('Most of the lead time is waiting, and it');
    await article.getByText('and it').waitFor();
    await article.locator('p').evaluate((paragraph) => {
      const text = paragraph.firstChild;
      if (text instanceof Text) getSelection()?.setBaseAndExtent(text, 8, text, 21);
    });
    expect(await selected()).to.equal('the lead time');
    for (const piece of [' can be', ' **shorter', '** in 2026', '-11 already', '.\n\nAnd', ' more.']) {
      await say(piece);
      await untilRendered(page);
      expect(await selected()).to.equal('the lead time');
    }
    await say(`\n\n${paragraphs(100)}`);
    await article.getByText('Paragraph 100.').waitFor();
    expect(await selected()).to.equal('the lead time');
    for (const [start, selector] of [
      ['- The lead time', 'li'],
      ['\n\n| A | B |\n|---|---|\n| The lead time', 'tbody'],
      ['\n\n```\nThe lead time', 'code'],
    ] as const) {
      await say(start);
      const grown = article.locator(selector).filter({ hasText: 'The lead time' });
      await grown.evaluate((element) => {
        const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
        if (text instanceof Text) getSelection()?.setBaseAndExtent(text, 4, text, 13);
      });
      for (const piece of [' is', ' mostly', ' waiting']) {
        await say(piece);
        await grown.filter({ hasText: piece }).waitFor();
        expect(await selected(), selector).to.equal('lead time');
      }
    }
    await end();
    await finished();
    expect(await selected()).to.equal('lead time');
  });

  it('is accessible with every kind of content, and has space for list numbers of any length', async () => {
    const { page, article, end, finished, say } = await startReply();
    const code =
      "```sql\n-- Waiting\nselect sum(hours) / 24.0, 'mill' from steps where a_long_name_that_scrolls = 1\n```";
    await say(
      `98. Short\n\nAnd\n\n9998. Long\n9999. Longer\n10000. Longest\n\n## Title\n\n### Part\n\n- [x] done\n- [ ] open\n\nAnd\n\n- point\n\n${table}\n> quote \`code\` https://example.com and [a report](https://example.com)\n\n${code}\n\n> [!WARNING]\n> From $5 to $6, as f\\(a has it.\n\n$$\n\\frac{a}{b}\n$$\n\n\\[\n\\href{javascript:alert(1)}{a}\n\\]\n`,
    );
    await end();
    await finished();
    await article.getByText('select', { exact: true }).waitFor();
    await article.locator('math[display=block] mfrac').waitFor();
    await article.getByText('\\href{javascript:alert(1)}{a}').waitFor();
    expect(await article.getByRole('blockquote').last().textContent()).to.equal(
      'WarningFrom $5 to $6, as f\\(a has it.',
    );
    await expectAccessible(page, 'a reply');

    const looks = await article.evaluate((reply) => {
      const stylesOf = (selector: string) =>
        Array.from(reply.querySelectorAll(selector), (part) => getComputedStyle(part));
      const sizes = stylesOf('.heading, .section > p').map(({ fontSize }) => Number.parseFloat(fontSize));
      const tokens = stylesOf('pre code, .hljs-comment, .hljs-keyword, .hljs-number, .hljs-string');
      return {
        markers: ['ol', 'ul li:not(.task)', 'ul .task'].map((list) => stylesOf(list)[0]?.listStyleType),
        boxes: new Set(stylesOf('.box').map(({ backgroundColor }) => backgroundColor)).size,
        headings: new Set(sizes).size,
        tokenColors: new Set(tokens.map(({ color }) => color)).size,
        isCodeMonospaced: stylesOf('code').every(({ fontFamily }) => fontFamily.includes('monospace')),
        isQuoteMarked: stylesOf('blockquote').every(({ borderInlineStartWidth }) => borderInlineStartWidth !== '0px'),
      };
    });
    expect(looks).to.deep.equal({
      markers: ['decimal', 'disc', 'none'],
      boxes: 2,
      headings: 3,
      tokenColors: 5,
      isCodeMonospaced: true,
      isQuoteMarked: true,
    });

    const spare = await article.locator('ol').evaluateAll((lists) =>
      lists.map((list) => {
        const marker = document.createElement('span');
        marker.style.whiteSpace = 'pre';
        marker.textContent = list.children.length === 1 ? '98. ' : '10000. ';
        const item = list.lastElementChild ?? list;
        item.prepend(marker);
        const { width } = marker.getBoundingClientRect();
        const room = [list, item].reduce(
          (sum, part) => sum + Number.parseFloat(getComputedStyle(part).paddingInlineStart),
          0,
        );
        return room - width;
      }),
    );
    expect(spare).to.have.length(2);
    expect(Math.min(...spare)).to.be.at.least(0);
  });
});
