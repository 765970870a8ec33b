import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { openLiveChat } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

describe('the commands in the browser', () => {
  it('open by their key, find a conversation by its words and go to it, by keyboard alone', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    const { ask, composer, finished, questions } = conversationOn(page);
    await ask('Which suppliers matter in week three?');
    await finished();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await field.fill('new conv');
    await page.keyboard.press('Enter');
    await questions.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await field.fill('week supp');
    const found = page.getByRole('option');
    await page.getByRole('option', { name: 'Which suppliers matter in week three?', selected: true }).waitFor();
    expect(await found.count()).to.equal(1);
    await page.keyboard.press('Enter');
    await questions.getByText('Which suppliers matter in week three?').waitFor();

    await page.keyboard.press('Control+k');
    await field.fill('search');
    await page.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
    expect(await isFocused(page.getByRole('searchbox'))).to.equal(true);

    await composer.focus();
    await page.keyboard.press('Control+k');
    await field.fill('no such thing');
    await page.getByText('Nothing found. Try other words.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(await isFocused(composer)).to.equal(true);
  });

  it('are marked by the arrows, say what has a key of its own, and lead to the list of the keys', async () => {
    const page = await visit(pages.demo);
    const { ask, begun, stop } = conversationOn(page);
    await ask('please stall');
    await begun();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Stop the reply Escape', selected: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { selected: true, name: 'Theme: dark' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await stop.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Ctrl+K').waitFor();
  });
});
