import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { boxOf } from './support/rendering.ts';
import { visitDemo, visitLiveChat } from './support/sign-in.ts';

describe('The command palette', () => {
  it('opens within the key press, fits into a short window, and closes on a click outside, but not on a drag', async () => {
    const { page, composer } = await visitDemo();
    await composer.focus();
    const dialog = page.getByRole('dialog', { name: 'Commands and conversations' });
    const field = dialog.getByRole('combobox');
    // Once, because its code is loaded while the browser is idle.
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.evaluate(async () => {
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, cancelable: true }));
      // The next key press is a task of its own, so only microtasks run before it.
      for (let count = 0; count < 50; count += 1) await null;
      document.activeElement?.setAttribute('data-focused-first', '');
    });
    expect(await field.getAttribute('data-focused-first')).to.equal('');

    await page.setViewportSize({ width: 640, height: 400 });
    expect((await boxOf(dialog)).bottom).to.be.below(400);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await isFocused(composer)).to.equal(true);

    await page.keyboard.press('Control+k');
    const { left, top } = await boxOf(dialog);
    const [inside, padding, outside] = [left + 100, left + 3, left - 100];
    for (const [press, release] of [
      [inside, outside],
      [outside, inside],
      [padding, padding],
    ] as const) {
      await page.mouse.move(press, top + 30);
      await page.mouse.down();
      await page.mouse.move(release, top + 30);
      await page.mouse.up();
      expect(await dialog.isVisible(), `${press} to ${release}`).to.equal(true);
    }
    await page.mouse.click(outside, top + 30);
    await dialog.waitFor({ state: 'detached' });
  });

  it('opens with its shortcut, finds and opens a conversation using only the keyboard, and scrolls to the selected option', async () => {
    const { page, composer, questions, exchange } = await visitLiveChat(people.onboarded);
    await exchange('Which suppliers matter in week three?');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await field.fill('new conv');
    await page.keyboard.press('Enter');
    await questions.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await field.fill('week supp');
    const options = page.getByRole('option');
    await page.getByRole('option', { name: 'Which suppliers matter in week three?', selected: true }).waitFor();
    expect(await options.count()).to.equal(1);
    await page.getByRole('status').getByText('1 result', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await questions.getByText('Which suppliers matter in week three?').waitFor();

    await page.keyboard.press('Control+k');
    await field.fill('language');
    await page.getByRole('option', { name: 'Settings', exact: true }).waitFor();
    await field.fill('');
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.keyboard.press('ArrowUp');
    await options.last().and(page.locator('[aria-selected=true]')).waitFor();
    expect((await boxOf(options.last())).bottom).to.be.below(400);
    await page.setViewportSize({ width: 1280, height: 800 });
    await field.fill('search');
    await page.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
    expect(await isFocused(page.getByRole('searchbox'))).to.equal(true);

    await composer.focus();
    await page.keyboard.press('Control+k');
    await field.fill('no such thing');
    await page.getByText('No results. Try different words.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(await isFocused(composer)).to.equal(true);
  });

  it('has shortcuts for a new conversation, the last question and undo, is navigated with the arrow keys, and opens the list of shortcuts', async () => {
    const { page, composer, finished, questions, stop, exchange, askUntilStarted } = await visitDemo();
    const field = page.getByRole('combobox');
    /** Opens the palette, returns those of `names` that it lists, and closes it. */
    const offered = async (...names: string[]) => {
      await page.keyboard.press('Control+k');
      await field.waitFor();
      const options = await page.getByRole('option').allTextContents();
      await page.keyboard.press('Escape');
      // A closed dialog has no role, but stays on the page until its close event.
      await page.locator('dialog').waitFor({ state: 'detached' });
      return names.filter((name) => options.some((option) => option.startsWith(name)));
    };
    await exchange('Where do we stand?');
    await composer.focus();
    await page.keyboard.press('ArrowUp');
    await page.getByText('You’re editing a question.').waitFor();
    expect(await composer.inputValue()).to.equal('Where do we stand?');
    expect(await offered('Continue', 'Edit the last question', 'Try again')).to.deep.equal(['Try again']);
    await page.keyboard.press('Escape');
    expect(await composer.inputValue()).to.equal('');
    await page.keyboard.type('More');
    await page.keyboard.press('ArrowUp');
    expect(await composer.inputValue()).to.equal('More');

    await page.keyboard.press('Control+Shift+O');
    await questions.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Undo Ctrl+Z' }).waitFor();
    await page.getByRole('combobox').fill('undo');
    await page.keyboard.press('Enter');
    await questions.waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'New conversation Ctrl+Shift+O' }).waitFor();
    await page.getByRole('option', { name: 'Edit the last question Up arrow' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await field.fill('conversation');
    await page.getByRole('option', { name: /^New conversation/, selected: true }).waitFor();
    expect(await page.getByRole('option').count()).to.be.above(1);
    await page.keyboard.press('ArrowDown');
    await field.fill('');
    await page.keyboard.type('again');
    await page.getByRole('option', { name: 'Try again', selected: true }).waitFor();
    await page.keyboard.press('?');
    expect(await field.inputValue()).to.equal('again?');
    await page.keyboard.press('Control+Shift+O');
    await field.fill('again');
    await page.keyboard.press('Enter');
    await page.getByText('Reply: version 2 of 2').waitFor({ state: 'attached' });
    await finished();
    await page.getByRole('button', { name: 'Try again' }).focus();
    await page.keyboard.press('Control+k');
    await field.fill('message');
    await page.keyboard.press('Enter');
    await composer.and(page.locator(':focus')).waitFor();

    await askUntilStarted('please stall');
    expect(
      await offered('Stop the reply', 'Continue', 'Try again', 'Edit the last question', 'Find a command'),
    ).to.deep.equal(['Stop the reply']);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Stop the reply Esc', selected: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { selected: true, name: /^Keyboard shortcuts/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await stop.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await page.getByRole('option', { selected: true }).waitFor();
    expect(await page.getByRole('option', { name: 'Stop the reply' }).count()).to.equal(0);
    await page.getByRole('combobox').press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.getByText('Ctrl+K').waitFor();
    expect(await shortcuts.getByRole('term').allTextContents())
      .to.have.length(10)
      .and.not.include('');
  });
});
