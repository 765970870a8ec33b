import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { needs } from './support/engine.ts';
import { visitDemo } from './support/sign-in.ts';

/** Drops this file at the center of the window, as from the desktop. */
async function dropFile(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const data = { items: [], files: [import.meta.filename], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devTools.send('Input.dispatchDragEvent', { type, x: width / 2, y: height / 2, data });
}

const refusal = 'Files can’t be attached; paste the text instead.';

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

  it('says that files can’t be attached when a picture without text is pasted', async () => {
    const { page, composer } = await visitDemo();
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
});
