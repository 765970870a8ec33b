import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { needs } from './support/engine.ts';
import { people } from './support/people.ts';
import { topOf } from './support/rendering.ts';
import { openLiveChat, signInByRequest, visitDemo } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

/** A viewport of the width in WCAG's reflow criterion, and a desktop window at 200 % zoom. */
const sizes = [
  { width: 320, height: 640 },
  { width: 640, height: 400 },
];
const longWord = 'Donaudampfschifffahrtsgesellschaft'.repeat(4);

/** Fails if `page` scrolls sideways, or if a control is cut off at a side or smaller than the minimum target size. */
async function expectToFit(page: Page): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    const { controlCount, misfits } = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const controls = [...document.querySelectorAll('button, input, textarea, a:not(p a, form a)')].filter((control) =>
        control.checkVisibility(),
      );
      const misfits = [
        ...(scrollWidth > clientWidth ? [`the page is ${scrollWidth} wide`] : []),
        ...controls.flatMap((control) => {
          const { left, right, width, height } = control.getBoundingClientRect();
          const isMisfit = left < 0 || right > clientWidth || width < 24 || height < 24;
          return isMisfit ? [`${control.outerHTML} from ${left} to ${right}, ${width} by ${height}`] : [];
        }),
      ];
      return { controlCount: controls.length, misfits };
    });
    expect(controlCount).to.be.above(2);
    expect(misfits, `at ${size.width} by ${size.height}`).to.deep.equal([]);
  }
}

describe('The client on every screen', () => {
  it('fits a narrow window and one at 200 % zoom, on the demo, sign-in, onboarding and live chat pages', async () => {
    const { page, ask, composer, error } = await visitDemo();
    await expectToFit(page);
    await ask(`please fail midway ${longWord}`);
    await error.waitFor();
    await expectToFit(page);

    await page.goto(pages.signIn);
    await page.getByRole('link', { name: 'Continue with Google' }).waitFor();
    await expectToFit(page);
    await signInByRequest(page, people.neverOnboarded);
    await page.goto(pages.onboarding);
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.getByText('Some fields need attention.').waitFor();
    await expectToFit(page);

    await openLiveChat(page, people.onboarded);
    await composer.waitFor();
    await expectToFit(page);
  });

  it('lays out right-to-left text and an Arabic page from right to left, with space to read on a short screen', async () => {
    const { page, composer, questions, replies, exchange } = await visitDemo();
    const direction = (element: Element) => getComputedStyle(element).direction;
    await answerWith(page, 'שלום `code`\n\nHello\n\n- مرحبا\n');
    await composer.fill('أين وصلنا؟');
    expect(await composer.evaluate(direction)).to.equal('rtl');
    await exchange('أين وصلنا؟');
    expect(await questions.evaluate(direction)).to.equal('rtl');
    await replies.getByRole('list').waitFor();
    const parts = await replies.locator('p, ul').all();
    const directions = await Promise.all(parts.map((part) => part.evaluate(direction)));
    expect(directions).to.deep.equal(['rtl', 'ltr', 'rtl', 'rtl']);

    const arabicPage = await visit(pages.demo, undefined, { locale: 'ar' });
    const message = arabicPage.getByRole('textbox');
    const { dock } = conversationOn(arabicPage);
    await message.waitFor();
    expect(await message.evaluate(direction)).to.equal('rtl');
    await message.fill('Where do we stand?');
    expect(await message.evaluate(direction)).to.equal('ltr');

    await message.blur();
    const position = () => dock.evaluate((dock) => getComputedStyle(dock).position);
    await arabicPage.setViewportSize({ width: 320, height: 256 });
    expect(await position()).to.equal('static');
    await message.focus();
    expect(await position()).to.equal('sticky');
    await arabicPage.setViewportSize({ width: 640, height: 400 });
    await message.fill('A line.\n'.repeat(40));
    expect(await topOf(dock)).to.be.at.least(200);
  });

  it('gives suggested questions in one row the same height with their text at the top, and in a single column the height of their text', async () => {
    const { page } = await visitDemo(undefined, { locale: 'de' });
    const cards = page.getByRole('main').getByRole('list').getByRole('button');
    await cards.nth(3).waitFor();
    for (const width of [1280, 768, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const boxes = await cards.evaluateAll((elements) =>
        elements.map((card) => {
          const { top, bottom } = card.getBoundingClientRect();
          const text = card.querySelector('span')?.getBoundingClientRect();
          // Firefox returns 1/60 pixels as numbers that differ in their last digits.
          return {
            row: `${top.toFixed(2)} to ${bottom.toFixed(2)}`,
            above: ((text?.top ?? 0) - top).toFixed(2),
            below: (bottom - (text?.bottom ?? 0)).toFixed(2),
          };
        }),
      );
      expect(boxes).to.have.length(4);
      expect(new Set(boxes.map(({ row }) => row)).size, `${width}`).to.equal(width < 600 ? 4 : 2);
      expect(new Set(boxes.map(({ above }) => above)).size, `${width}`).to.equal(1);
      if (width < 600) expect(new Set(boxes.map(({ below }) => below)).size).to.equal(1);
    }
  });

  it('shows borders and the selected command in forced colors, and does not animate with reduced motion', async function () {
    needs(this, 'media emulation');

    const { page, composer, askUntilStarted } = await visitDemo(undefined, {
      reducedMotion: 'reduce',
      forcedColors: 'active',
    });
    await composer.waitFor();

    const signIn = page.getByRole('link', { name: 'Sign in', exact: true });
    for (const control of [page.getByRole('button'), signIn, page.locator('.composer-box')]) {
      const areBordered = await control.evaluateAll((elements) =>
        elements.map((element) => {
          const { borderTopColor, borderTopStyle, backgroundColor } = getComputedStyle(element);
          return borderTopStyle !== 'none' && borderTopColor !== backgroundColor;
        }),
      );
      expect([...new Set(areBordered)], `${control}`).to.deep.equal([true]);
    }
    await askUntilStarted('please stall');
    const moving = () => document.getAnimations().filter(({ effect }) => effect?.getTiming().duration !== 0).length;
    expect(await page.evaluate(moving)).to.equal(0);

    await page.keyboard.press('Control+k');
    const option = (selected: boolean) => page.getByRole('option', { selected }).first();
    const colorOf = (selected: boolean) =>
      option(selected).evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await colorOf(true)).to.not.equal(await colorOf(false));
    const highlight = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.cssText = 'background: Highlight; forced-color-adjust: none';
      const { backgroundColor } = getComputedStyle(probe);
      probe.remove();
      return backgroundColor;
    });
    expect(await colorOf(true)).to.equal(highlight);
  });
});
