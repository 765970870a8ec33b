import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { setPageVisible } from './support/page-visibility.ts';
import { people } from './support/people.ts';
import { visitDemo, visitLiveChat } from './support/sign-in.ts';
import { freezeClock } from './support/visit.ts';

const refusal = 'Files can’t be attached; paste the text instead.';

describe('A draft', () => {
  it('is restored after a reload and a visit to another page, and persisted as soon as the page is hidden, because a phone may kill a hidden page', async () => {
    const { page, composer } = await visitDemo();
    await composer.fill('Where does this');
    await page.reload();
    expect(await composer.inputValue()).to.equal('Where does this');

    // On leaving the page, the draft is persisted at once, not only after a pause in typing.
    await freezeClock(page);
    await composer.press('End');
    await composer.pressSequentially(' stand?');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    expect(await composer.inputValue()).to.equal('Where does this stand?');

    await composer.fill('And what next?');
    await setPageVisible(page, false);
    const next = await page.context().newPage();
    await next.goto(pages.demo);
    expect(await conversationOn(next).composer.inputValue()).to.equal('And what next?');
  });

  it('is visible in full until it exceeds a share of the window, even without `field-sizing`, and takes no picture that is pasted without text', async () => {
    const { page, composer } = await visitDemo();
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('textarea { field-sizing: fixed !important }');
      document.adoptedStyleSheets.push(sheet);
    });
    const measure = () => composer.evaluate(({ clientHeight, scrollHeight }) => ({ clientHeight, scrollHeight }));
    const single = await measure();
    const lineHeight = await composer.evaluate((field) => Number.parseFloat(getComputedStyle(field).lineHeight));
    for (const [text, lines] of [
      ['One\nTwo', 2],
      ['One\n\n', 3],
      ['One\nTwo\nThree\nFour', 4],
      [`One\n${'mm '.repeat(50)}`, 4],
    ] as const) {
      await composer.fill(text);
      const { clientHeight, scrollHeight } = await measure();
      expect(scrollHeight, text).to.equal(clientHeight);
      expect(clientHeight, text).to.be.closeTo(single.clientHeight + (lines - 1) * lineHeight, 6);
    }
    await composer.fill('One\n'.repeat(60));
    const { clientHeight, scrollHeight } = await measure();
    expect(clientHeight).to.be.closeTo(0.4 * (page.viewportSize()?.height ?? 0), 1);
    expect(scrollHeight).to.be.above(60 * lineHeight);
    await composer.fill('');
    expect(await measure()).to.deep.equal(single);

    const paste = (types: string[]) =>
      composer.evaluate((field, types) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File(['picture'], 'picture.png', { type: 'image/png' }));
        for (const type of types) clipboardData.setData(type, 'text');
        const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
        // The constructor of Firefox ignores this property.
        Object.defineProperty(event, 'clipboardData', { value: clipboardData });
        field.dispatchEvent(event);
      }, types);
    await paste(['text/html', 'text/plain']);
    expect(await page.getByText(refusal).count()).to.equal(0);
    await paste(['text/html']);
    await page.getByText(refusal).waitFor();
  });

  it('is undone step by step with Ctrl+Z, but never back to the text that was in the field before the draft', async () => {
    const { page, composer, exchange } = await visitLiveChat(people.onboarded);
    const type = (words: string) => composer.pressSequentially(words);
    const expectAfterUndo = async (expected: string) => {
      await composer.focus();
      for (let presses = 0; presses < 10; presses += 1) await page.keyboard.press('Control+z');
      expect(await composer.inputValue()).to.equal(expected);
    };
    await exchange('Sent?');
    await type('Draft');
    await page.keyboard.press('Control+z');
    // A step is a character in Chromium, and all that was typed in Firefox.
    expect(await composer.inputValue()).to.be.oneOf(['Draf', '']);
    await expectAfterUndo('');

    await type('Draft');
    await page.getByRole('button', { name: 'Edit question' }).click();
    await expectAfterUndo('Sent?');
    await composer.press('End');
    await type(' Now?');
    await expectAfterUndo('Sent?');
    await composer.press('Escape');
    await expectAfterUndo('Draft');

    const { create, entry } = listOn(page);
    await create.click();
    await composer.and(page.locator(':focus')).waitFor();
    await expectAfterUndo('');
    await type('Other');
    await entry('Sent?').click();
    await page.getByRole('button', { name: 'Edit question' }).waitFor();
    await expectAfterUndo('Draft');
  });
});

/** Drops this file at the center of the window, as from the desktop. */
async function dropFile(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const data = { items: [], files: [import.meta.filename], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devTools.send('Input.dispatchDragEvent', { type, x: width / 2, y: height / 2, data });
}

describe('The page', () => {
  it('stays open when a file is dropped on it, and says what to do instead until the draft changes or is sent', async function () {
    needs(this, 'DevTools');
    const { page, composer } = await visitDemo();
    await composer.fill('Where do we stand');
    await dropFile(page);
    await page.getByRole('alert').filter({ hasText: refusal }).waitFor();
    expect(await composer.inputValue()).to.equal('Where do we stand');
    await composer.pressSequentially('?');
    await page.getByText(refusal).waitFor({ state: 'detached' });
    await dropFile(page);
    await page.getByText(refusal).waitFor();
    await composer.press('Enter');
    await page.getByText(refusal).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await dropFile(page);
    expect(page.context().pages()).to.have.length(1);
    expect(await page.title()).to.equal('Sign in · Advisory Chat');
  });
});
