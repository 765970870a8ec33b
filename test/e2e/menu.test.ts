import { expect } from 'chai';
import { describe, it } from 'mocha';
import { expectAccessible } from './support/axe.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { boxOf, untilRendered } from './support/rendering.ts';
import { visitNamed } from './support/stored-conversations.ts';
import { phone, reloadIn } from './support/visit.ts';

const titles = Array.from({ length: 30 }, (_, number) => `Conversation ${number}.`);

describe('the menu of a conversation in the list', () => {
  it('is operated with arrow keys, Home and End, and returns the focus on Escape and Tab', async () => {
    const { page } = await visitNamed(titles.slice(0, 3));
    const { list, more } = listOn(page);
    // Firefox crashes if an item is looked up by name within a menu that is looked up by name.
    const menu = list.getByRole('menu');
    const button = more('Conversation 1.');
    await button.press('Enter');
    await list.getByRole('menu', { name: 'More actions for “Conversation 1.”' }).waitFor();
    expect(await menu.getByRole('menuitem').allTextContents()).to.deep.equal(['Pin', 'Rename', 'Delete']);
    for (const [key, name] of [
      ['ArrowDown', 'Rename'],
      ['End', 'Delete'],
      ['ArrowDown', 'Pin'],
      ['ArrowUp', 'Delete'],
      ['Home', 'Pin'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await isFocused(menu.getByRole('menuitem', { name })), `${key} leads to ${name}`).to.equal(true);
    }
    expect(await button.getAttribute('aria-expanded')).to.equal('true');
    for (const key of ['Escape', 'Shift+Tab']) {
      await page.keyboard.press(key);
      await menu.waitFor({ state: 'detached' });
      if (key === 'Escape') expect(await isFocused(button)).to.equal(true);
      await button.press('Space');
    }
    await expectAccessible(page, 'the menu of a conversation');
  });

  it('has a button that moves nothing, opens beside it within the window in both text directions, and closes on a press outside', async () => {
    const { page } = await visitNamed(titles);
    const { entry, more, scroller } = listOn(page);
    const name = entry('Conversation 3.').getByText('Conversation 3.');
    const opacity = () => more('Conversation 3.').evaluate((button) => getComputedStyle(button).opacity);
    await page.mouse.move(900, 400);
    const before = await boxOf(name);
    expect(await opacity()).to.equal('0');
    await name.hover();
    await untilRendered(page);
    expect(await opacity()).to.equal('1');
    expect(await boxOf(name)).to.deep.equal(before);
    expect(await more('Conversation 0.').evaluate((button) => getComputedStyle(button).opacity)).to.equal('1');

    for (const language of ['en', 'ar'] as const) {
      if (language === 'ar') await reloadIn(page, language);
      const list = page.getByRole('navigation');
      const menu = list.getByRole('menu');
      const buttons = list.getByRole('listitem').getByRole('button');
      for (const index of [0, 12, 29]) {
        await buttons.nth(index).click();
        const opened = await boxOf(menu);
        const button = await boxOf(buttons.nth(index));
        const where = `${language}, ${index}`;
        expect(opened.top >= button.bottom || opened.bottom <= button.top, where).to.equal(true);
        expect(Math.min(opened.left, opened.top), where).to.be.at.least(0);
        expect(opened.right, where).to.be.at.most(1280);
        expect(opened.bottom, where).to.be.at.most(800);
        await buttons.nth(index).click();
        await menu.waitFor({ state: 'detached' });
      }
      await buttons.nth(29).press('Enter');
      await menu.waitFor();
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'detached' });
      const close = {
        press: () => page.mouse.click(640, 700),
        scroll: () => scroller.evaluate((scroller) => scroller.scrollBy(0, -60)),
        resize: () => page.setViewportSize({ width: 1280, height: 780 }),
      };
      for (const act of Object.values(close)) {
        await buttons.nth(20).click();
        await menu.waitFor();
        await act();
        await menu.waitFor({ state: 'detached' });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });

  it('is the same in the drawer of a phone, where Escape closes only the menu or the name field', async function () {
    needs(this, 'touch');

    const { page } = await visitNamed(titles, phone);
    const drawer = page.getByRole('dialog', { name: 'Conversations' });
    await page.getByRole('button', { name: 'Conversations' }).tap();
    const button = drawer.getByRole('button', { name: 'More actions for “Conversation 2.”' });
    await button.tap();
    const menu = drawer.getByRole('menu');
    // The browser turns a tap into a click later.
    await menu.waitFor();
    expect(await menu.getByRole('menuitem').allTextContents()).to.deep.equal(['Pin', 'Rename', 'Delete']);
    expect((await boxOf(menu)).right).to.be.at.most(phone.viewport.width);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await drawer.isVisible()).to.equal(true);
    await button.tap();
    await menu.getByRole('menuitem', { name: 'Pin' }).tap();
    await drawer.getByRole('heading', { name: 'Pinned' }).waitFor();
    await button.tap();
    await menu.getByRole('menuitem', { name: 'Rename' }).tap();
    const name = drawer.getByRole('textbox', { name: 'Conversation name' });
    await name.press('Escape');
    await name.waitFor({ state: 'detached' });
    expect(await drawer.isVisible()).to.equal(true);
  });
});
