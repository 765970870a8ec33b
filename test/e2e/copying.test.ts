import { expect } from 'chai';
import { describe, it } from 'mocha';
import { turn } from '../client/chat/turns.ts';
import { openClipboard } from './support/clipboard.ts';
import { visitWith } from './support/kept-conversations.ts';
import { visitDemo } from './support/sign-in.ts';

describe('copying in the browser', () => {
  const visitAnswered = () =>
    visitWith([turn('How do I start it?', 'Run **this**:\n\n```sh\nnpm ci\n\nnpm start\n```\n')]);

  it('puts the code of a reply on the clipboard, and says so', async () => {
    const page = await visitAnswered();
    const clipboard = await openClipboard(page);
    const copy = page.getByRole('button', { name: 'Copy code' });
    await copy.click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Copied$/ })
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard()).to.equal('npm ci\n\nnpm start');
    await copy.waitFor();
  });

  it('puts the id of a request that failed on the clipboard', async () => {
    const { page, ask, error } = await visitDemo();
    const clipboard = await openClipboard(page);
    await ask('please fail midway');
    await error.getByRole('button', { name: 'Copy request id' }).click();
    await error.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard()).to.equal(await error.locator('code').textContent());
  });

  it('says that it cannot copy where the browser has no clipboard for the page', async () => {
    const page = await visitAnswered();
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.getByRole('button', { name: 'Copy reply' }).click();
    await page.getByRole('status').filter({ hasText: 'Select the text to copy it yourself.' }).waitFor();
  });
});
