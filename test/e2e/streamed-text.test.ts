import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { perSuite } from '../support/per-suite.ts';
import { conversationOn } from './support/conversation.ts';
import { loadMarkdown } from './support/markdown-chunk.ts';
import { untilRendered } from './support/rendering.ts';
import { startScriptedProduct } from './support/scripted-product.ts';
import { visit } from './support/visit.ts';

/** Replaces each text node that appears in a reply with a copy in two `<font>` elements, like page translators. */
function translateReplies(): void {
  const translate = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node instanceof Text && node.parentElement?.localName !== 'font') texts.push(node);
    }
    if (root instanceof Text) texts.push(root);
    for (const text of texts) {
      if (!text.parentElement?.closest('.markdown') || text.parentElement.localName === 'font') continue;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.textContent = text.data;
      outer.append(inner);
      text.replaceWith(outer);
    }
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) translate(node);
  }).observe(document, { childList: true, subtree: true });
}

describe('A streamed reply', () => {
  const scripted = perSuite(() => startScriptedProduct());

  async function startReply(prepare = (_: Page) => Promise.resolve()) {
    const page = await visit(pages.demo, scripted.product);
    await prepare(page);
    const reply = scripted.nextReply();
    await loadMarkdown(page);
    const conversation = conversationOn(page);
    await conversation.ask('Where do we stand?');
    return { page, ...conversation, ...reply };
  }

  it('is complete even if a page translator replaces each text node that appears', async () => {
    const { page, replies, say, end, finished } = await startReply((page) => page.evaluate(translateReplies));
    const pieces = [
      '## Ti',
      'tl',
      'e\n\nOne **bo',
      'ld** word, ',
      'and [a li',
      'nk](https://a.example) too.',
      '\n\n- It',
      'em\n',
    ];
    for (const piece of [
      ...pieces,
      '- **Two** th',
      'ings',
      ' `and` co',
      'de\n\n| A | B',
      ' |\n|-|-|\n| on',
      'e | tw',
      'o |\n\nThe',
      ' end.',
    ]) {
      await say(piece);
      await untilRendered(page);
    }
    await end();
    await finished();
    const markdown = replies.locator('.markdown');
    await markdown.getByText('The end.').waitFor();
    expect(await markdown.innerText()).to.match(
      /^Title\s+One bold word, and a link too\.\s+Item\s+Two things and code\s+A\s+B\s+one\s+two\s.*The end\.$/s,
    );
    expect(await markdown.locator('font').count()).to.be.greaterThan(5);
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('keeps the selection in its last paragraph while text is added to it and after it', async () => {
    const { page, replies, say, end, finished } = await startReply();
    await say('Most of the lead time is waiting, and it');
    await replies.getByText('and it').waitFor();
    await replies.locator('p').evaluate((paragraph) => {
      const text = paragraph.firstChild;
      if (text instanceof Text) getSelection()?.setBaseAndExtent(text, 8, text, 21);
    });
    const selected = () => page.evaluate(() => getSelection()?.toString());
    expect(await selected()).to.equal('the lead time');
    for (const piece of [' can be', ' **shorter', '** in 2026', '-11 already', '.\n\nAnd', ' more.']) {
      await say(piece);
      await untilRendered(page);
      expect(await selected()).to.equal('the lead time');
    }
    await say(Array.from({ length: 100 }, (_, n) => `\n\nParagraph ${n + 1}.`).join(''));
    await replies.getByText('Paragraph 100.').waitFor();
    expect(await selected()).to.equal('the lead time');
    await end();
    await finished();
    expect(await selected()).to.equal('the lead time');
  });

  it('keeps the selection in an item, a cell and a line of code to which text is added', async () => {
    const { page, replies, say, end, finished } = await startReply();
    const selected = () => page.evaluate(() => getSelection()?.toString());
    for (const [start, selector] of [
      ['- The lead time', 'li'],
      ['\n\n| A | B |\n|---|---|\n| The lead time', 'tbody'],
      ['\n\n```\nThe lead time', 'code'],
    ] as const) {
      await say(start);
      const grown = replies.locator(selector).filter({ hasText: 'The lead time' });
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

  it('leaves the text nodes of the rest of the page as the browser defines them', async () => {
    const { page, replies, say, end, finished } = await startReply();
    await say('Most of the lead time is waiting');
    await replies.getByText('is waiting').waitFor();
    expect(await page.evaluate(() => Object.hasOwn(Text.prototype, 'nodeValue'))).to.equal(false);
    await end();
    await finished();
  });
});
