import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { eventually } from '../support/eventually.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { boxOf, topOf, untilRendered, untilShown } from './support/rendering.ts';
import { prepareUser, visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns, visitWithConversations } from './support/stored-conversations.ts';
import { openEmptyPage, phone } from './support/visit.ts';

describe('The client on a phone', () => {
  it('has large touch targets, inserts a line break on Enter, sends with the button, and keeps clear of the notch, the bars and the keyboard', async function () {
    needs(this, 'touch', 'DevTools');
    const { page, composer, finished, questions, replies, send } = await visitDemo(undefined, phone);
    expect(await page.locator('meta[name=viewport]').getAttribute('content')).to.equal(
      'width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content',
    );
    await page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first().click();
    await finished();
    expect(await isFocused(composer)).to.equal(false);

    expect(await composer.getAttribute('enterkeyhint')).to.equal('enter');
    await composer.pressSequentially('First line');
    await composer.press('Enter');
    await page.keyboard.type('Second line');
    await send.click();
    expect(await isFocused(composer)).to.equal(false);
    expect(await questions.last().innerText()).to.equal('First line\nSecond line');
    await finished();
    expect(await isFocused(composer)).to.equal(false);

    const controls = await page.evaluate(() =>
      [...document.querySelectorAll('button, a, textarea')]
        .filter((control) => control.checkVisibility())
        .map((control) => {
          const { width, height } = control.getBoundingClientRect();
          return { name: control.ariaLabel || control.textContent || control.id, fits: width >= 44 && height >= 44 };
        }),
    );
    expect(controls.filter(({ fits }) => !fits)).to.deep.equal([]);
    expect(controls.map(({ name }) => name)).to.include.members(['Copy reply', 'Try again', 'Edit question']);

    await composer.fill('Third question');
    await composer.press('Control+Enter');
    await questions.nth(2).waitFor();
    expect(await isFocused(composer)).to.equal(false);

    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Emulation.setSafeAreaInsetsOverride', { insets: { top: 47, bottom: 34 } });
    const menu = page.getByRole('button', { name: 'Conversation actions' });
    // The browser passes the insets on to the page later.
    await eventually(async () => (await topOf(menu)) >= 47 || undefined);
    expect((await boxOf(page.getByText('Nothing is stored on the server.'))).bottom).to.be.at.most(844 - 34);

    await page.setViewportSize({ width: 740, height: 360 });
    await devTools.send('Emulation.setSafeAreaInsetsOverride', { insets: { left: 47, right: 47 } });
    await untilRendered(page);
    const links = page.getByRole('banner').getByRole('link');
    const notice = page.getByText('Demo: a fictional company.');
    for (const part of [page.getByRole('button'), links, page.locator('.composer-box'), notice, questions, replies]) {
      const edges = await part.evaluateAll((elements) =>
        elements.map((element) => element.getBoundingClientRect()).flatMap(({ left, right }) => [left, right]),
      );
      expect(edges, `${part}`).not.to.be.empty;
      expect(Math.min(...edges), `${part}`).to.be.at.least(33);
      expect(Math.max(...edges), `${part}`).to.be.at.most(740 - 33);
    }
    await page.setViewportSize(phone.viewport);

    await page.evaluate(() => {
      Object.defineProperty(window.visualViewport, 'height', { value: 500 });
      window.visualViewport?.dispatchEvent(new Event('resize'));
    });
    expect((await boxOf(composer)).bottom).to.be.at.most(500);
  });

  it('keeps the “Jump to latest” button between the text and the message field at all widths, also when the field grows', async () => {
    const text = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}.`).join('\n\n');
    const page = await visitDemoWithTurns([turn('First?', text)], { ...phone, isMobile: true });
    const { composer, dock } = conversationOn(page);
    await page.getByText('Paragraph 0').waitFor();
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      for (const draft of ['What about the other plant?', 'What about\nthe other\nplant?']) {
        await composer.fill(draft);
        await page.evaluate(() => window.scrollTo(0, 0));
        const jump = page.getByRole('button', { name: 'Jump to latest' });
        await untilShown(jump);
        const { top, bottom } = await boxOf(jump);
        expect(bottom, `${width}: ${draft}`).to.be.below(await topOf(composer));
        // Text fades out just above the dock.
        expect(top, `${width}: ${draft}`).to.be.at.least((await topOf(dock)) - 8);
      }
    }
  });

  it('keeps the message field at its place when the first question is asked', async () => {
    for (const path of [pages.demo, pages.chat]) {
      const page = await openEmptyPage(undefined, phone);
      await prepareUser(page, people.onboarded);
      await page.goto(path);
      const { composer, send, finished } = conversationOn(page);
      await untilShown(composer);
      const before = await topOf(composer);
      await composer.fill('Where do we stand?');
      await send.click();
      await finished();
      await untilRendered(page);
      expect(await topOf(composer), path).to.equal(before);
    }
  });

  it('shows the actions of a question below it, so that they do not narrow it', async function () {
    needs(this, 'touch');
    const question = 'Where do we stand in week three, what have we learned about the lead time, and what is next?';
    const stored = { title: 'Week three', turns: inARow(turn(question), turn('What is next?')) };
    const { questions, page, replies } = await visitWithConversations([stored], { ...phone, isMobile: true });
    const column = await boxOf(replies.first());
    const bubble = await boxOf(questions.first());
    const edit = await boxOf(page.getByRole('button', { name: 'Edit question' }).first());
    expect(bubble.width / column.width).to.be.closeTo(0.85, 0.02);
    expect(edit.top).to.be.at.least(bubble.bottom - 8);
    expect(edit.bottom).to.be.at.most(await topOf(replies.first()));
  });

  it('creates a conversation with the list closed, keeps the list clear of the notch, and focuses the message field after the last deletion', async function () {
    needs(this, 'touch', 'DevTools');
    const stored = { title: 'Kept', turns: [turn('Kept?')] };
    const { page, composer, questions } = await visitWithConversations([stored], { ...phone, isMobile: true });
    const create = page.getByRole('banner').getByRole('button', { name: 'New conversation' });
    await create.click();
    await questions.waitFor({ state: 'detached' });
    expect(await isFocused(composer)).to.equal(false);

    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Emulation.setSafeAreaInsetsOverride', { insets: { top: 47, bottom: 34 } });
    await page.getByRole('button', { name: 'Conversations' }).click();
    const drawer = page.getByRole('dialog', { name: 'Conversations' });
    const search = drawer.getByRole('searchbox');
    // Safari on iOS zooms in when a field with smaller text gets the focus.
    for (const field of [composer, search]) {
      const size = await field.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
      expect(size).to.be.at.least(16);
    }
    expect(await topOf(drawer.getByRole('heading').first())).to.be.at.least(47);
    expect((await boxOf(listOn(page).scroller)).bottom).to.be.at.most(844 - 34);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    // On a tablet with a keyboard, the list is beside the conversation.
    await page.setViewportSize({ width: 1280, height: 800 });
    const { choose, entry } = listOn(page);
    await entry('Kept').click();
    await questions.waitFor();
    await choose('Kept', 'Delete');
    await entry('Kept').waitFor({ state: 'detached' });
    await composer.and(page.locator(':focus')).waitFor();
  });
});
