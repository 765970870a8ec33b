import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { perSuite } from '../support/per-suite.ts';
import { conversationOn } from './support/conversation.ts';
import { loadMarkdown } from './support/markdown-chunk.ts';
import { untilRendered } from './support/rendering.ts';
import { sharedScriptedProduct } from './support/scripted-product.ts';
import { visit } from './support/visit.ts';

/** Ways in which page translators and extensions change each text node that appears in a reply. */
const changes = {
  'page translator replaces each text with two `<font>` elements': {
    tags: ['font', 'font'],
    isCopy: true,
    isSplit: false,
  },
  'dictionary moves each text into a `<span>` element': { tags: ['span'], isCopy: false, isSplit: false },
  'reading aid replaces each text with its words': { tags: ['b'], isCopy: true, isSplit: true },
};

type Change = (typeof changes)[keyof typeof changes];

function changeReplies({ tags, isCopy, isSplit }: Change): void {
  const wrapped = (text: Node) =>
    tags.reduceRight((content, tag) => {
      const wrapper = document.createElement(tag);
      wrapper.className = 'foreign';
      wrapper.append(content);
      return wrapper;
    }, text);
  const change = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Text[] = root instanceof Text ? [root] : [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node instanceof Text) texts.push(node);
    for (const text of texts) {
      const parent = text.parentElement;
      if (!parent?.closest('article') || parent.closest('.foreign')) continue;
      const place = document.createComment('');
      text.replaceWith(place);
      const parts = isSplit ? text.data.split(/(?<= )/).map((part) => document.createTextNode(part)) : [text];
      place.replaceWith(...parts.map((part) => wrapped(isCopy ? part.cloneNode() : part)));
    }
  };
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records) for (const node of addedNodes) change(node);
  });
  observer.observe(document, { childList: true, subtree: true });
  window.addEventListener('unchanged', () => observer.disconnect(), { once: true });
}

describe('A streamed reply', () => {
  const scripted = perSuite(() => sharedScriptedProduct());

  async function startReply(prepare = (_: Page) => Promise.resolve()) {
    const page = await visit(pages.demo, scripted.product);
    await prepare(page);
    const reply = scripted.nextReply();
    await loadMarkdown(page);
    const conversation = conversationOn(page);
    await conversation.ask('Where do we stand?');
    return { page, ...conversation, ...reply };
  }

  it('is complete even if a page translator, a dictionary or a reading aid changes its texts', async () => {
    const page = await visit(pages.demo, scripted.product);
    const { replies, ask, finished } = conversationOn(page);
    await loadMarkdown(page);
    for (const [name, change] of Object.entries(changes)) {
      const { say, end } = scripted.nextReply();
      await page.evaluate(changeReplies, change);
      await ask('Where do we stand?');
      const prose = '## Ti¦tl¦e\n\nOne **bo¦ld** word, ¦and [a li¦nk](https://a.example) too.';
      const list = '¦\n\n- It¦em\n¦- **Two** th¦ings¦ `and` co¦de';
      const table = '\n\n| A | B¦ |\n|-|-|\n| on¦e | tw¦o |';
      for (const piece of `${prose}${list}${table}\n¦\nThe en¦d.`.split('¦')) {
        await say(piece);
        await untilRendered(page);
      }
      await end();
      await finished();
      await replies.last().getByText('The end.').waitFor();
      expect(await replies.last().innerText(), name).to.match(
        /^Title\s+One bold word, and a link too\.\s+Item\s+Two things and code\s+A\s+B\s+one\s+two\s.*The end\.$/s,
      );
      expect(await replies.last().locator('.foreign').count(), name).to.be.greaterThan(5);
      expect(await page.getByRole('alert').count(), name).to.equal(0);
      await page.evaluate(() => window.dispatchEvent(new Event('unchanged')));
    }
  });

  it('shows the source of a block that fails to render, and everything else', async () => {
    const { page, replies, say, end, finished } = await startReply((page) =>
      page.evaluate(() => {
        // React logs the error.
        console.error = () => undefined;
        window.ResizeObserver = class extends ResizeObserver {
          override observe(element: Element) {
            if (element.textContent?.includes('fails')) throw new Error('Scripted.');
            super.observe(element);
          }
        };
      }),
    );
    await say('Before.\n\n| A |\n|---|\n| fails |\n\n```\nworks\n```\n\nAfter.');
    await end();
    await finished();
    expect(await replies.locator('p').allTextContents()).to.deep.equal([
      'Before.',
      '| A |\n|---|\n| fails |',
      'After.',
    ]);
    expect(await replies.locator('pre').allTextContents()).to.deep.equal(['works']);
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('follows a failed one even if another script has removed the notice of the failure', async () => {
    const { page, replies, ask, say, cut, error } = await startReply();
    await say('Most of the lead time');
    await cut();
    await error.waitFor();
    await page.evaluate(() => {
      for (const element of document.querySelectorAll('[role=alert], [role=status]')) element.remove();
    });
    const { say: sayAgain, end } = scripted.nextReply();
    await ask('And now?');
    await sayAgain('In week 3.');
    await replies.getByText('In week 3.').waitFor();
    await end();
  });

  it('is shown in full even if requestAnimationFrame never fires', async () => {
    const { replies, say, end } = await startReply((page) =>
      page.evaluate(() => {
        window.requestAnimationFrame = () => 0;
      }),
    );
    await say('It **ends** here.');
    await end();
    await replies.getByText('It ends here.').waitFor();
  });
});
