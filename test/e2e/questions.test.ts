import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openClipboard } from './support/clipboard.ts';
import { unknownPath } from './support/page-errors.ts';
import { people } from './support/people.ts';
import { topOf, untilRendered } from './support/rendering.ts';
import { visitLiveChat } from './support/sign-in.ts';

describe('Questions of the user', () => {
  it('show their time and can be copied, and the page of an unknown path links back to them', async () => {
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

  it('are at the same distance from the top in a new conversation and in one that is opened again', async () => {
    const { page, ask, finished, questions } = await visitLiveChat(people.onboarded);
    const top = async () => Math.round(await topOf(questions.last()));
    await ask('Where do we stand?');
    await finished();
    const first = await top();
    await ask('And what next?');
    await finished();
    expect(await top()).to.be.closeTo(first, 1);
    await page.reload();
    await questions.last().waitFor();
    await untilRendered(page);
    expect(await top()).to.be.closeTo(first, 1);
  });
});
