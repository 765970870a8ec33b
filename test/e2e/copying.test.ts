import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { ofSuite } from '../support/of-suite.ts';
import { openClipboard } from './support/clipboard.ts';
import { conversationOn } from './support/conversation.ts';
import { startDictation } from './support/dictation.ts';
import { visitDemo } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

const reply = 'Run **this**:\n\n```sh\nnpm ci\n\nnpm start\n```\n';

describe('copying in the browser', () => {
  const dictation = ofSuite(() => startDictation());
  before(() => {
    dictation.replyWith(reply);
  });

  async function openAnswered(): Promise<Page> {
    const { page, ask, finished } = await visitDemo(dictation.product);
    await ask('How do I start it?');
    await finished();
    return page;
  }

  const copies = {
    'Copy code': 'npm ci\n\nnpm start',
    'Copy reply': reply,
  };
  for (const [name, text] of Object.entries(copies)) {
    it(`puts on the clipboard what “${name}” names, and says so`, async () => {
      const page = await openAnswered();
      const clipboard = await openClipboard(page);
      await page.getByRole('button', { name }).click();
      await page
        .getByRole('status')
        .filter({ hasText: /^Copied$/ })
        .waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await clipboard()).to.equal(text);
      await page.getByRole('button', { name }).waitFor();
    });
  }

  it('puts the id of a request that failed on the clipboard', async () => {
    const page = await visit(pages.demo);
    const clipboard = await openClipboard(page);
    const { ask, error } = conversationOn(page);
    await ask('please fail midway');
    await error.getByRole('button', { name: 'Copy request id' }).click();
    await error.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard()).to.equal(await error.locator('code').textContent());
  });

  it('says that it cannot copy where the browser has no clipboard for the page', async () => {
    const page = await openAnswered();
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.getByRole('button', { name: 'Copy reply' }).click();
    await page.getByRole('status').filter({ hasText: 'Select the text to copy it yourself.' }).waitFor();
  });

  it('offers no copy of what is still being written', async () => {
    const { page, ask, replies } = await visitDemo(dictation.product);
    const { say } = dictation.nextReply();
    await ask('How do I start it?');
    await say('```sh\nnpm');
    await replies.getByText('npm').waitFor();
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).to.equal(0);
  });
});
