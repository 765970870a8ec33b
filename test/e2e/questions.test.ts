import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openClipboard } from './support/clipboard.ts';
import { unknownPath } from './support/page-errors.ts';
import { people } from './support/people.ts';
import { visitLiveChat } from './support/sign-in.ts';

describe('Questions of the user', () => {
  it('show their time and can be copied; an unknown path links back to them', async () => {
    const { page, ask, finished, questions } = await visitLiveChat(people.onboarded);
    const readClipboard = await openClipboard(page);
    await ask('Where *do* we stand?');
    await finished();
    await questions.first().hover();
    const time = page.locator('.asked-at');
    expect(await time.textContent()).to.match(/^\d{1,2}:\d{2}/);
    expect(await time.getAttribute('title')).to.include(String(new Date().getFullYear()));
    await page.getByRole('button', { name: 'Copy question' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await readClipboard()).to.equal('Where *do* we stand?');

    await page.goto(unknownPath);
    await page.getByRole('link', { name: 'Go to your engagement' }).click();
    await questions.getByText('Where *do* we stand?').waitFor();
  });
});
