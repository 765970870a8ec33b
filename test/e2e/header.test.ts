import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { loadMessages } from '../../client/language/interface-language.ts';
import { conversationPath, pages } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { boxOf, resize, untilRendered, untilShown } from './support/rendering.ts';
import { mockSession, newPerson } from './support/session.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns, visitWithConversations } from './support/stored-conversations.ts';
import { openEmptyPage, phone, reloadIn } from './support/visit.ts';

const storedConversations = [
  { title: 'Castings?', turns: inARow(turn('Castings?', 'The moulds wait.')) },
  { title: 'Suppliers?', turns: inARow(turn('Suppliers?', 'Two of them are late.')) },
];

function headerOn(page: Page) {
  const banner = page.getByRole('banner');
  const more = banner.getByRole('button', { name: 'Conversation actions' });
  return {
    title: banner.getByRole('button', { name: /^Rename “/ }),
    more,
    nameField: banner.getByRole('textbox', { name: 'Conversation name' }),
    items: () => banner.getByRole('menuitem').allTextContents(),
    choose: async (name: string) => {
      await more.click();
      await banner.getByRole('menuitem', { name, exact: true }).click();
    },
  };
}

async function runCommand(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(name);
  await page.getByRole('option', { name, exact: true }).click();
}

describe('the menu of the open conversation', () => {
  it('offers the same commands as the palette: pin, rename, copy, download, print and delete', async () => {
    const { page, questions } = await visitWithConversations(storedConversations);
    const { choose, items, more, nameField, title } = headerOn(page);
    const { list, titles } = listOn(page);
    await more.click();
    expect(await items()).to.deep.equal([...['Pin', 'Rename', 'Copy conversation', 'Download…', 'Print', 'Delete']]);
    const colorOf = (button: Locator) => button.evaluate((element) => getComputedStyle(element).color);
    const menu = page.locator(':popover-open');
    const removeColor = await colorOf(menu.getByRole('menuitem', { name: 'Delete' }));
    expect(removeColor).to.not.equal(await colorOf(menu.getByRole('menuitem', { name: 'Print' })));
    expect(await menu.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).to.equal(0);
    const icons = await menu.locator('path').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
    expect(new Set(icons)).to.have.property('size', 6);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    expect(await colorOf(page.getByRole('option', { name: 'Delete conversation' }))).to.equal(removeColor);
    await page.keyboard.press('Escape');

    await choose('Pin');
    await list.getByRole('heading', { name: 'Pinned' }).waitFor();
    await more.click();
    expect(await items())
      .to.include('Unpin')
      .and.not.include('Pin');
    await page.keyboard.press('Escape');
    await runCommand(page, 'Unpin conversation');
    await list.getByRole('heading', { name: 'Pinned' }).waitFor({ state: 'detached' });

    const place = await boxOf(title);
    await choose('Download…');
    await page.getByRole('dialog', { name: 'Download conversation' }).waitFor();
    expect(await boxOf(title)).to.deep.equal(place);
    await page.keyboard.press('Escape');

    await choose('Rename');
    expect(await isFocused(nameField)).to.equal(true);
    await page.keyboard.press('Escape');
    await runCommand(page, 'Rename conversation');
    await nameField.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Foundry');
    await page.keyboard.press('Enter');
    await title.filter({ hasText: 'Foundry' }).waitFor();
    expect(await titles()).to.deep.equal(['Foundry', 'Suppliers?']);

    await choose('Delete');
    await questions.getByText('Suppliers?').waitFor();
    expect(await titles()).to.deep.equal(['Suppliers?']);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).first().click();
    await questions.getByText('Castings?').waitFor();
    await runCommand(page, 'Delete conversation');
    await questions.getByText('Suppliers?').waitFor();
  });
});

describe('the header on a small screen', () => {
  it('scrolls the menu if it is taller than the window, and shows the offline notice in full beside a long title', async () => {
    const title = 'What does waiting cost the south plant and all the others?';
    const { page } = await visitWithConversations([{ title, turns: inARow(turn('Castings?', 'The moulds wait.')) }]);
    const { more } = headerOn(page);
    await page.setViewportSize({ width: 640, height: 400 });
    await more.click();
    const menu = page.locator(':popover-open');
    expect((await boxOf(menu)).bottom).to.be.at.most(400);
    const remove = menu.getByRole('menuitem', { name: 'Delete' });
    await remove.scrollIntoViewIfNeeded();
    expect((await boxOf(remove)).bottom).to.be.at.most(400);
    await page.keyboard.press('Escape');

    await page.context().setOffline(true);
    const notice = page.getByRole('banner').getByRole('status').getByRole('paragraph');
    for (const width of [390, 820, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await untilShown(notice);
      expect(await notice.evaluate((element) => element.scrollWidth - element.clientWidth), `${width}`).to.equal(0);
    }
    await page.context().setOffline(false);
  });

  it('aligns the title of the demo with the button beside it on a phone', async () => {
    const page = await visitDemoWithTurns([turn('Castings?', 'The moulds wait.')], phone);
    const { more } = headerOn(page);
    const title = page.getByRole('banner').getByText('Castings?');
    const centerOf = async (part: Locator) => {
      const { top, bottom } = await boxOf(part);
      return (top + bottom) / 2;
    };
    await untilShown(more);
    expect(await centerOf(title)).to.be.closeTo(await centerOf(more), 1);
  });

  it('gives the name field the whole row on a phone, with buttons to cancel and to save', async function () {
    needs(this, 'touch');
    const { page } = await visitWithConversations(storedConversations, phone);
    const { title, nameField } = headerOn(page);
    const banner = page.getByRole('banner');
    await title.tap();
    expect((await boxOf(nameField)).width).to.be.at.least(200);
    await nameField.fill('Foundry');
    await banner.getByRole('button', { name: 'Cancel' }).tap();
    expect(await title.textContent()).to.equal('Castings?');
    expect(await isFocused(title)).to.equal(true);
    await title.tap();
    await nameField.fill('Foundry');
    await banner.getByRole('button', { name: 'Save' }).tap();
    expect(await title.textContent()).to.equal('Foundry');
  });
});

describe('the parts of the header', () => {
  it('are aligned with the list and the text of the conversation, do not touch each other, and have their centers on one line, at every width', async () => {
    const title = 'Which of the hypotheses should we test first?';
    const { page } = await visitWithConversations([{ title, turns: inARow(turn(title, 'The moulds wait.')) }]);
    const banner = page.getByRole('banner');
    const list = banner.getByRole('button').first();
    const menuIcon = list.locator('svg');
    const listIcon = page.getByRole('navigation').getByRole('button').first().locator('svg');
    const initials = banner.getByText('BE', { exact: true });
    const texts = banner.getByText(title).or(initials);
    const parts = banner.getByRole('link').or(texts).or(banner.getByRole('button').locator('svg'));
    for (const language of ['en', 'ar'] as const) {
      if (language === 'ar') await reloadIn(page, language);
      await banner.getByText(title).waitFor();
      const more = banner.getByRole('button', { name: (await loadMessages(language)).header.menu });
      /** Returns the start and end of a part of the page, in pixels from the side where lines start. */
      const edgesOf = async (part: Locator) => {
        const { left, right } = await boxOf(part);
        return language === 'ar' ? { start: -right, end: -left } : { start: left, end: right };
      };
      for (const width of [1600, 1280]) {
        await resize(page, width);
        const where = `${language}, ${width}`;
        const text = await edgesOf(banner.getByText(title));
        expect((await edgesOf(menuIcon)).start, where).to.be.closeTo((await edgesOf(listIcon)).start, 1);
        expect(text.start, where).to.be.closeTo((await edgesOf(page.getByRole('article').last())).start, 1.5);
        expect((await edgesOf(more)).start - text.end, where).to.be.within(0, 16);
      }
      for (const isFolded of [true, false]) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await list.click();
        for (const width of [1280, 1024, 768, 390]) {
          await resize(page, width);
          const boxes = await parts.evaluateAll((parts) =>
            parts
              .filter((part) => part.checkVisibility())
              .map((part) => part.getBoundingClientRect())
              .map(({ left, right, top, bottom }) => ({ left, right, center: (top + bottom) / 2 }))
              .toSorted((one, other) => one.left - other.left),
          );
          const where = `${language}, ${width}${isFolded ? ', folded' : ''}`;
          expect(boxes.length, where).to.be.at.least(4);
          const gaps = boxes.slice(1).map(({ left }, index) => left - (boxes[index]?.right ?? 0));
          expect(Math.min(...gaps), where).to.be.at.least(8);
          const centers = boxes.map(({ center }) => center);
          expect(Math.max(...centers) - Math.min(...centers), where).to.be.at.most(1);
        }
      }
    }
    expect(await boxOf(initials)).to.include({ width: 32, height: 32 });
  });
});

describe('the organization in whose name the user asks', () => {
  it('stands below the message field at every width, and a long name on one line', async () => {
    const page = await openEmptyPage();
    const longName = 'Example Castings and Forgings of the Southern District, with All Their Subsidiaries';
    for (const name of ['Example Castings', longName]) {
      await mockSession(page, { ...newPerson, onboarded: true, organization: { id: 'castings', name } });
      await page.goto(pages.chat);
      const organization = page.locator('form').getByText(name);
      for (const width of [1280, 820, 390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        await untilShown(organization);
        const { right, height } = await boxOf(organization);
        expect(height, `${name}, ${width}`).to.be.within(10, 30);
        expect(right, `${name}, ${width}`).to.be.at.most(width);
      }
    }
  });
});

describe('the title in the header', () => {
  it('is renamed with the mouse or the keyboard, and leaves room in the header on every screen', async () => {
    const { page, composer } = await visitWithConversations(storedConversations);
    const { nameField, title } = headerOn(page);
    expect(await title.getAttribute('title')).to.equal('Castings?');
    expect(await title.evaluate((element) => getComputedStyle(element).fontWeight)).to.equal('600');
    await title.click();
    expect(await isFocused(nameField)).to.equal(true);
    await page.keyboard.type('Foundry');
    await page.keyboard.press('Escape');
    expect(await title.textContent()).to.equal('Castings?');
    expect(await isFocused(title)).to.equal(true);

    await page.keyboard.press('Enter');
    await page.keyboard.type('Foundry');
    await page.keyboard.press('Enter');
    expect(await title.textContent()).to.equal('Foundry');
    expect(await isFocused(title)).to.equal(true);

    await title.click();
    await nameField.fill('Moulds');
    await composer.click();
    expect(await title.textContent()).to.equal('Moulds');
    expect(await isFocused(composer)).to.equal(true);

    await title.click();
    await nameField.fill(' ');
    await nameField.press('Enter');
    expect(await title.textContent()).to.equal('Castings?');

    await listOn(page).create.click();
    const create = page.getByRole('banner').getByRole('button', { name: 'New conversation' });
    for (const [width, isNamed] of [
      [320, false],
      [640, false],
      [720, false],
      [820, true],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await untilShown(create);
      expect((await boxOf(page.getByRole('banner'))).height, `${width}`).to.be.within(30, 62);
      expect(await create.getByText('New conversation').isVisible(), `${width}`).to.equal(isNamed);
    }
    await page.goto(conversationPath('Castings-'));
    await title.waitFor();
    await page.getByRole('banner').getByText('Advisory Chat', { exact: true }).waitFor();
  });
});

describe('the conversation', () => {
  it('does not scroll while the list has the focus, or while a name or a search is typed', async () => {
    const turns = inARow(...Array.from({ length: 20 }, (_, n) => turn(`Question ${n}?`, 'The moulds wait.')));
    const others = Array.from({ length: 30 }, (_, n) => ({
      title: `Other ${n}?`,
      turns: inARow(turn(`Other ${n}?`, 'No.')),
    }));
    const { page, questions } = await visitWithConversations([{ title: 'Castings?', turns }, ...others]);
    const { title } = headerOn(page);
    const { create, search, entry } = listOn(page);
    // Earlier turns are rendered later, above those in view.
    await questions.getByText('Question 0?', { exact: true }).waitFor({ state: 'attached' });
    await page.evaluate(() => window.scrollTo(0, 900));
    await untilRendered(page);
    const before = await page.evaluate(() => window.scrollY);
    const expectStill = async (during: string) => {
      await untilRendered(page);
      expect(await page.evaluate(() => window.scrollY), during).to.equal(before);
    };
    await title.click();
    await page.keyboard.type('Foundry');
    await expectStill('a name');
    await page.keyboard.press('Escape');
    await expectStill('Escape');
    for (const part of [entry('Castings?'), create, search]) {
      await part.focus();
      await expectStill(`the focus on ${part}`);
    }
    await page.keyboard.type('castings');
    await expectStill('a search');
    await search.fill('');
    await entry('Castings?').focus();
    for (let count = 0; count < 20; count += 1) await page.keyboard.press('ArrowDown');
    await entry('Other 19?').and(page.locator(':focus')).waitFor();
    await expectStill('arrow keys');
  });
});

describe('the header', () => {
  it('scrolls away in a short window, returns when the user scrolls up, and scrolls away again for the next question', async () => {
    const turns = Array.from({ length: 6 }, (_, index) => turn(`Question ${index}?`, 'In week 3.\n\n'.repeat(20)));
    const { page, questions, ask } = await visitWithConversations([{ title: 'Weeks', turns: inARow(...turns) }], {
      viewport: { width: 740, height: 360 },
    });
    await untilShown(questions.last());
    const untilInView = (isInView: boolean) =>
      page.waitForFunction((isInView) => {
        const { top = 0, bottom = 0 } = document.querySelector('header')?.getBoundingClientRect() ?? {};
        return isInView ? top === 0 : bottom <= 0;
      }, isInView);
    await untilInView(false);
    await page.mouse.move(300, 100);
    for (const pixels of [-200, 100, -100]) {
      await page.mouse.wheel(0, pixels);
      await untilInView(pixels < 0);
    }
    await ask('What is next?');
    await questions.getByText('What is next?').waitFor();
    await untilInView(false);
  });
});

describe('the band of the demo', () => {
  it('leaves half of the window to the conversation at a zoom of 400 %, and always says that the company is fictional', async function () {
    needs(this, 'media emulation');
    const { page, composer, dock } = await visitDemo();
    await page.setViewportSize({ width: 320, height: 256 });
    await composer.focus();
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
    const { top } = await boxOf(dock);
    const { bottom } = await boxOf(page.getByRole('banner'));
    expect(Math.min(256, top) - bottom, 'height of the conversation at a zoom of 400 %').to.be.at.least(128);

    const band = page.locator('.demo-band');
    const signIn = page.getByRole('banner').getByRole('link').last();
    const screen = { media: 'screen', colorScheme: 'light', forcedColors: 'none' } as const;
    await band.getByText('Demo: a fictional company. Don’t enter real client data.').waitFor();
    expect(await band.getByRole('link').count()).to.equal(0);
    for (const [name, width, media, language] of [
      ['a desktop', 1280, {}, 'en'],
      ['a phone', 390, {}, 'en'],
      ['a dark page', 1280, { colorScheme: 'dark' }, 'en'],
      ['forced colors', 1280, { forcedColors: 'active' }, 'en'],
      ['an Arabic page', 1280, {}, 'ar'],
    ] as const) {
      await page.emulateMedia({ ...screen, ...media });
      await page.setViewportSize({ width, height: 800 });
      if (language === 'ar') await reloadIn(page, language);
      // The header that index.html brings has a band without text.
      await band.getByRole('paragraph').waitFor();
      expect((await boxOf(band)).height, name).to.be.within(38, 46);
      const [color, around] = await Promise.all(
        [band, page.locator('body')].map((part) =>
          part.evaluate((element) => {
            const { backgroundColor, borderBlockEndStyle } = getComputedStyle(element);
            return `${backgroundColor} ${borderBlockEndStyle}`;
          }),
        ),
      );
      expect(color, name).to.not.equal(around);
      await page.emulateMedia({ media: 'print' });
      expect(await band.getByRole('paragraph').isVisible(), name).to.equal(true);
      expect(await signIn.isVisible(), name).to.equal(false);
    }
    await page.emulateMedia(screen);
    await signIn.click();
    await page.getByRole('link', { name: 'Google' }).waitFor();
  });
});
