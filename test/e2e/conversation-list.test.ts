import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { contrast, parseColor, white } from '../../client/diagram/color-contrast.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { boxOf, topOf, untilRendered, untilShown } from './support/rendering.ts';
import { visitNamed, visitWithConversations } from './support/stored-conversations.ts';
import { phone, reloadIn } from './support/visit.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const title = (number: number) => `Conversation ${number} on the lead time of large castings`;

/** Opens live chat with 60 conversations of the last three weeks. Three are of this second, because the last hours can be yesterday's. */
function visitMany(options = {}) {
  const now = Date.now();
  const conversations = Array.from({ length: 60 }, (_, number) => ({
    title: title(number),
    lastActiveAt: now - number - (Math.max(0, number - 2) * dayMilliseconds) / 3,
    turns: inARow(
      turn(`${title(number)}?`, `The moulds wait. ${'Most of the time they wait for the furnace. '.repeat(40)}`),
    ),
  }));
  return visitWithConversations(conversations, options);
}

/** Fails unless the list's header stays in place while the list scrolls, above the heading of the days in view. */
async function expectHeadInView(page: Page): Promise<void> {
  const { list, entry, create, search, scroller } = listOn(page);
  // The list renders its parts one by one while the browser is idle.
  await entry(title(59)).waitFor({ state: 'attached' });
  const before = [await topOf(create), await topOf(search)];
  await scroller.evaluate((element) => element.scrollTo(0, 600));
  await untilRendered(page);
  expect([await topOf(create), await topOf(search)]).to.deep.equal(before);
  const tops = await list
    .getByRole('heading', { name: 'Previous 7 days' })
    .evaluateAll((headings) => headings.map((heading) => heading.getBoundingClientRect().top));
  expect(tops).to.deep.equal([await topOf(scroller)]);
}

/** Returns the colors of the text and the background of `part`, which is opaque. */
const colorsOf = (part: Locator) =>
  part.evaluate((element) => {
    const { color, backgroundColor } = getComputedStyle(element);
    return { text: color, background: backgroundColor };
  });

describe('The conversation list', () => {
  it('gives the open conversation, the hovered one and questions distinct background colors, with readable text', async function () {
    needs(this, 'media emulation');
    const { page, questions } = await visitNamed(['First', 'Second']);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { entries } = listOn(page);
      await entries.nth(1).hover();
      const parts = [questions.first(), entries.nth(0), entries.nth(1), page.locator('body')];
      const colors = await Promise.all(parts.map(colorsOf));
      expect(new Set(colors.map(({ background }) => background)), colorScheme).to.have.property('size', 4);
      for (const { text, background } of colors)
        expect(contrast(parseColor(text) ?? white, parseColor(background) ?? white)).to.be.at.least(4.5);
    }
  });

  it('keeps its header in view on a desktop, has tooltips for truncated titles, and never overlaps text with controls, in English and Arabic', async () => {
    const { page } = await visitMany();
    await expectHeadInView(page);
    const second = listOn(page).entries.nth(1);
    expect(await second.getByRole('link').getAttribute('title')).to.match(new RegExp(`^${title(1)}\\n`));
    expect(await second.getByRole('button').getAttribute('title')).to.equal(`More actions for “${title(1)}”`);

    for (const language of ['en', 'ar'] as const) {
      if (language === 'ar') await reloadIn(page, language);
      await page.getByRole('searchbox').fill('furnace');
      const entry = page.getByRole('navigation').getByRole('listitem').nth(1);
      await entry.locator('mark').waitFor();
      await entry.hover();
      await untilRendered(page);
      const { controlCount, textCount, overlaps } = await entry.evaluate((element) => {
        const controls = [...element.querySelectorAll('button')]
          .map((button) => button.getBoundingClientRect())
          .filter(({ width }) => width > 0);
        const texts = [...element.querySelectorAll('a > span')].flatMap((text) => {
          const box = text.getBoundingClientRect();
          const { paddingLeft, paddingRight } = getComputedStyle(text);
          // Clipped content is not visible.
          return [...window.contentsOf(text).getClientRects()].map(({ left, right, top, bottom }) => ({
            left: Math.max(left, box.left + Number.parseFloat(paddingLeft)),
            right: Math.min(right, box.right - Number.parseFloat(paddingRight)),
            top,
            bottom: Math.min(bottom, box.bottom),
          }));
        });
        const isShared = (from: number, to: number, otherFrom: number, otherTo: number) =>
          Math.min(to, otherTo) - Math.max(from, otherFrom) > 1;
        const overlaps = controls.flatMap((control) =>
          texts.filter(
            ({ left, right, top, bottom }) =>
              isShared(control.left, control.right, left, right) && isShared(control.top, control.bottom, top, bottom),
          ),
        );
        return { controlCount: controls.length, textCount: texts.length, overlaps };
      });
      expect(Math.min(controlCount, textCount - 1), language).to.be.above(0);
      expect(overlaps, language).to.deep.equal([]);
    }
  });

  it('keeps its search, place and day headings up to date when conversations, the scroll position or the day change', async () => {
    const { page } = await visitMany({ viewport: { width: 1280, height: 500 } });
    const { choose, list, search, create, entry, scroller } = listOn(page);
    const clear = list.getByRole('button', { name: 'Clear search' });
    expect(await clear.count()).to.equal(0);
    await search.fill('furnace');
    await list.getByText('60 conversations found.').waitFor();
    await choose(title(1), 'Delete');
    await list.getByText('59 conversations found.').waitFor();
    await clear.click();
    expect(await search.inputValue()).to.equal('');
    expect(await isFocused(search)).to.equal(true);
    await list.getByRole('heading', { name: 'Previous 7 days' }).waitFor();
    for (const part of [create, search]) {
      const colors = await part.evaluate((element) => {
        const { borderTopColor, backgroundColor } = getComputedStyle(element);
        return [borderTopColor, backgroundColor];
      });
      expect(colors).to.deep.equal(['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)']);
    }

    const before = await topOf(create);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await untilRendered(page);
    expect(await page.evaluate(() => window.scrollY)).to.be.above(0);
    // Browsers round positions to fractions of a pixel, such as 1/64.
    expect(await topOf(create)).to.be.closeTo(before, 0.05);
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.getByRole('button', { name: 'Conversation actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await untilShown(entry(title(2)).and(page.locator('[aria-current]')));
    expect(await topOf(entry(title(2)))).to.be.within(await topOf(scroller), 500);

    const today = list.getByRole('heading', { name: 'Today' });
    await today.waitFor();
    await page.clock.setFixedTime(Date.now() + dayMilliseconds);
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await today.waitFor({ state: 'detached' });
    await list.getByRole('heading', { name: 'Yesterday' }).waitFor();
  });

  it('keeps its header and the day headings in view in the drawer of a phone', async () => {
    const { page } = await visitMany(phone);
    await page.getByRole('button', { name: 'Conversations' }).click();
    const drawer = page.getByRole('dialog', { name: 'Conversations' });
    await expectHeadInView(page);
    const backgroundOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await backgroundOf(drawer.getByRole('heading', { name: 'Today' }))).to.equal(await backgroundOf(drawer));
  });

  it('keeps its entries in place during a rename, and offers to undo a deletion in one place only', async () => {
    const { page } = await visitNamed(['First', 'Second', 'Third']);
    const { list, choose, entry } = listOn(page);
    const undo = page.getByRole('button', { name: 'Undo' }).filter({ visible: true });
    const inPage = page.getByRole('main').getByRole('button', { name: 'Undo' });
    const toggle = page.getByRole('button', { name: 'Conversations', exact: true });
    const expectOne = async (expected: Locator) => {
      await expected.waitFor();
      expect(await undo.count()).to.equal(1);
    };
    const before = await topOf(entry('Second'));
    await choose('First', 'Rename');
    await page.getByRole('textbox', { name: 'Conversation name' }).waitFor();
    expect(await topOf(entry('Second'))).to.equal(before);
    await page.keyboard.press('Escape');

    await choose('Third', 'Delete');
    await expectOne(list.getByRole('button', { name: 'Undo' }));
    await toggle.click();
    await expectOne(inPage);
    await page.setViewportSize({ width: 768, height: 800 });
    await expectOne(inPage);
    await toggle.click();
    await expectOne(page.getByRole('dialog').getByRole('button', { name: 'Undo' }));
    await page.keyboard.press('Escape');
    await expectOne(inPage);
  });
});

const plants = Array.from({ length: 40 }, (_, index) => `Plant ${index + 1}`);

async function centerOf(locator: Locator): Promise<[x: number, y: number]> {
  const { left, right, top, bottom } = await boxOf(locator);
  return [(left + right) / 2, (top + bottom) / 2];
}

/** Double-clicks the center of `locator`; the page renders between the clicks. */
async function doubleClick(page: Page, locator: Locator): Promise<void> {
  await page.mouse.move(...(await centerOf(locator)));
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    await untilRendered(page);
  }
}

/** Taps twice within 100 ms by the clock of the events, however slow the machine is. */
async function doubleTap(page: Page, locator: Locator): Promise<void> {
  const [x, y] = await centerOf(locator);
  const devTools = await page.context().newCDPSession(page);
  const start = Date.now() / 1000;
  for (const timestamp of [start, start + 0.1]) {
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }], timestamp });
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [], timestamp });
    await untilRendered(page);
  }
}

describe('a double click', () => {
  it('on Undo restores a conversation and opens none of those that move under the pointer', async function () {
    needs(this, 'click counts');
    const { page, questions } = await visitNamed(plants);
    const { list, choose, entries } = listOn(page);
    await choose('Plant 2', 'Delete');
    await doubleClick(page, list.getByRole('button', { name: 'Undo' }));
    await untilRendered(page);
    expect(await entries.count()).to.equal(plants.length);
    expect(await questions.allTextContents()).to.deep.equal(['Plant 1?']);
  });
});

describe('a double tap', () => {
  it('on Undo in the drawer restores a conversation and opens none of those below the finger', async function () {
    needs(this, 'DevTools');
    const { page, questions } = await visitNamed(plants, phone);
    const { list, more, entries } = listOn(page);
    await page.getByRole('button', { name: 'Conversations' }).tap();
    await more('Plant 2').tap();
    await list.getByRole('menuitem', { name: 'Delete' }).tap();
    await doubleTap(page, list.getByRole('button', { name: 'Undo' }));
    await untilRendered(page);
    expect(await entries.count()).to.equal(plants.length);
    expect(await list.isVisible()).to.equal(true);
    expect(await questions.allTextContents()).to.deep.equal(['Plant 1?']);
  });
});
