import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { deviceKeys } from '../../client/device/device-storage.ts';
import { pages } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { perSuite } from '../support/per-suite.ts';
import { conversationOn } from './support/conversation.ts';
import { untilRendered } from './support/rendering.ts';
import { sharedScriptedProduct } from './support/scripted-product.ts';
import { openEmptyPage } from './support/visit.ts';

type Fiber = { child: Fiber | null; sibling: Fiber | null; alternate: Fiber | null; flags: number; type: unknown };

declare global {
  interface Window {
    renders: number;
  }
}

/** Counts the components that React renders, through the hook of its developer tools. */
function countRenders(): void {
  const performedWork = 1;
  const countIn = (fiber: Fiber): number => {
    let count = typeof fiber.type !== 'string' && (fiber.flags & performedWork) !== 0 ? 1 : 0;
    // React has not visited the children if they are those of the previous commit.
    if (fiber.alternate !== null && fiber.alternate.child === fiber.child) return count;
    for (let child = fiber.child; child !== null; child = child.sibling) count += countIn(child);
    return count;
  };
  window.renders = 0;
  Object.assign(window, {
    __REACT_DEVTOOLS_GLOBAL_HOOK__: {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot(_: number, root: { current: Fiber }) {
        window.renders += countIn(root.current);
      },
      onCommitFiberUnmount() {},
      onPostCommitFiberRoot() {},
    },
  });
}

/** Enough that a part of the page whose length grows with the conversation or the reply exceeds the limits below. */
const turnCount = 60;
const blockCount = 300;

describe('The number of components that are rendered again', () => {
  const scripted = perSuite(() => sharedScriptedProduct());

  /** Opens the demo with a long conversation in which each reply has another version. */
  async function visitDemo() {
    const page = await openEmptyPage(scripted.product);
    await page.addInitScript(countRenders);
    const shown = inARow(...Array.from({ length: turnCount }, (_, n) => turn(`Question ${n}?`, `Week ${n}.`)));
    const turns = shown.flatMap((each) => [{ ...each, id: `${each.id} again`, reply: 'Unknown.' }, each]);
    const stored = JSON.stringify({ turns, shownId: shown.at(-1)?.id });
    await page.addInitScript(([key, text]) => localStorage.setItem(key, text), [deviceKeys.demo, stored] as const);
    await page.goto(pages.demo);
    const conversation = conversationOn(page);
    // Earlier turns are rendered later.
    await conversation.replies.getByText('Week 0.').waitFor();
    return { page, ...conversation };
  }

  async function rendersDuring(page: Page, act: () => Promise<void>): Promise<number> {
    await untilRendered(page);
    await page.evaluate(() => {
      window.renders = 0;
    });
    await act();
    await untilRendered(page);
    return page.evaluate(() => window.renders);
  }

  it('does not grow with the conversation while the user types, nor with the paragraphs, list items and table rows of a reply while it streams', async () => {
    const { page, ask, composer, finished, replies } = await visitDemo();
    await composer.fill('W');
    expect(await rendersDuring(page, () => composer.press('e'))).to.be.within(1, 10);

    for (const [name, start, block, open] of [
      ['paragraphs', '\n\n', 'One.\n\n', ''],
      ['list items', '\n\n', '- One\n', '- '],
      ['table rows', '\n\n| A | B |\n|--|--|\n', '| 1 | 2 |\n', '| '],
    ] as const) {
      const { say, end } = scripted.nextReply();
      const sayUntilShown = async (text: string) => {
        await say(text);
        await replies.last().getByText(text.trimStart()).waitFor();
      };
      await ask('Where do we stand?');
      await sayUntilShown('Here');
      await say(`${start}${block.repeat(blockCount)}${open}`);
      await sayUntilShown('first');
      expect(await rendersDuring(page, () => sayUntilShown(' second')), name).to.be.within(1, 80);
      await end();
      await finished();
    }
  });
});
