import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { conversationPath, pages } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { savedBy } from './support/downloads.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { untilShown } from './support/rendering.ts';
import { askToSignOutEverywhere, openLiveChat, openSettings, signOut } from './support/sign-in.ts';
import { visitNamed, visitWithConversations } from './support/stored-conversations.ts';

/** Returns the text that a search has highlighted in the conversation, once there is some. */
async function highlighted(page: Page): Promise<string> {
  const text = await page.waitForFunction(() => [...(CSS.highlights.get('passage') ?? [])].join());
  return text.jsonValue();
}

describe('Conversations', () => {
  it('can be renamed, searched by their text, deleted and restored with the keyboard', async () => {
    const now = Date.now();
    const { page, composer, questions, replies } = await visitWithConversations(
      ['Which suppliers matter?', 'Where do we stand?'].map((title, index) => ({
        title,
        turns: [turn(title, `You asked: “${title}”`)],
        lastActiveAt: now - index,
      })),
    );
    const { choose, entry, list, more, search, titles } = listOn(page);

    await choose('Where do we stand?', 'Rename');
    await page.keyboard.type('Status of week 1');
    await page.keyboard.press('Enter');
    await more('Status of week 1').and(page.locator(':focus')).waitFor();
    expect(await titles()).to.deep.equal(['Which suppliers matter?', 'Status of week 1']);
    await choose('Status of week 1', 'Rename');
    await page.keyboard.type('Something else');
    await page.keyboard.press('Escape');
    expect(await titles()).to.contain('Status of week 1');

    await search.fill('you asked: “where do');
    await list.getByText('1 conversation found.').waitFor();
    expect(await titles()).to.deep.equal(['Status of week 1']);
    expect(await list.locator('mark').textContent()).to.equal('You asked: “Where do');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await questions.getByText('Where do we stand?').waitFor();
    expect(await highlighted(page)).to.equal('You asked: “Where do');
    expect(await replies.last().evaluate((reply) => reply.parentElement === document.activeElement)).to.equal(true);
    expect(await search.inputValue()).to.equal('you asked: “where do');
    await search.fill('which suppliers');
    await entry('Which suppliers matter?').waitFor();
    await search.press('Enter');
    await questions.getByText('Which suppliers matter?').waitFor();
    await search.press('ArrowDown');
    expect(await isFocused(entry('Which suppliers matter?'))).to.equal(true);
    await search.fill('');
    await entry('Status of week 1').click();
    await questions.getByText('Where do we stand?').waitFor();

    await choose('Status of week 1', 'Delete');
    const undo = list.getByRole('status').filter({ hasText: 'Deleted “Status of week 1” from this device.' });
    await undo.waitFor();
    expect(await titles()).to.deep.equal(['Which suppliers matter?']);
    await questions.getByText('Which suppliers matter?').waitFor();
    expect(await isFocused(entry('Which suppliers matter?'))).to.equal(true);
    await page.keyboard.press('Control+z');
    await questions.getByText('Where do we stand?').waitFor();
    expect(await isFocused(entry('Status of week 1'))).to.equal(true);
    expect(await titles()).to.deep.equal(['Which suppliers matter?', 'Status of week 1']);

    // In an empty message field the page handles the shortcut; otherwise the browser does.
    await choose('Status of week 1', 'Delete');
    await undo.waitFor();
    await composer.fill('Typed');
    await page.keyboard.press('Control+z');
    expect(await undo.count()).to.equal(1);
    await composer.fill('');
    await page.keyboard.press('Control+z');
    await questions.getByText('Where do we stand?').waitFor();
    await composer.and(page.locator(':focus')).waitFor();
    await entry('Status of week 1').waitFor();

    await choose('Status of week 1', 'Delete');
    await choose('Which suppliers matter?', 'Delete');
    const both = list.getByRole('status').filter({ hasText: '2 conversations deleted from this device.' });
    await both.getByRole('button', { name: 'Undo' }).press('Enter');
    await entry('Status of week 1').waitFor();
    expect(await titles()).to.deep.equal(['Which suppliers matter?', 'Status of week 1']);

    await choose('Status of week 1', 'Delete');
    await undo.getByRole('button', { name: 'Close' }).press('Enter');
    await list.getByRole('status').and(page.locator(':focus')).waitFor({ state: 'attached' });
    await page.reload();
    await questions.getByText('Which suppliers matter?').waitFor();
    expect(await titles()).to.deep.equal(['Which suppliers matter?']);
  });

  it('take one line each, are navigated with the keyboard and pinned, in a sidebar or a drawer that can be hidden', async () => {
    const longTitle = 'A title that is so long that no list has room for all of its words';
    const { page, questions } = await visitNamed(['First', 'Second', longTitle, 'Third', 'Fourth']);
    const { choose, entry, entries, list, more, search, titles } = listOn(page);
    await entry('Second').waitFor();
    const heights = await entries.evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().height));
    expect(new Set(heights).size).to.equal(1);
    expect(heights[0]).to.be.at.most(44);
    expect(await entry('Second').getAttribute('title')).to.contain('1970');

    await search.focus();
    await page.keyboard.press('Tab');
    expect(await isFocused(entry('First'))).to.equal(true);
    for (const [key, name] of [
      ['ArrowDown', 'Second'],
      ['End', 'Fourth'],
      ['ArrowUp', 'Third'],
      ['Home', 'First'],
      ['ArrowUp', 'First'],
      ['ArrowDown', 'Second'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await isFocused(entry(name)), `${key} leads to ${name}`).to.equal(true);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(conversationPath('Second'));
    await entry('Second').press('Tab');
    expect(await isFocused(more('Second'))).to.equal(true);

    // The conversation must not take the focus from a user who has moved on before it is shown.
    await entry('Fourth').evaluate((link: HTMLElement) => {
      link.focus();
      link.click();
      document.querySelector<HTMLElement>('[type=search]')?.focus();
    });
    await untilShown(questions.getByText('Fourth?'));
    expect(await isFocused(search)).to.equal(true);
    await entry('First').click();
    await questions.getByText('First?').waitFor();

    await choose('Second', 'Pin');
    const pinned = list.getByRole('heading', { name: 'Pinned' });
    await pinned.waitFor();

    const toggle = page.getByRole('button', { name: 'Conversations', exact: true });
    expect(await toggle.getAttribute('aria-expanded')).to.equal('true');
    const runCommand = async (name: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(name);
      await page.keyboard.press('Enter');
    };
    await toggle.click();
    await list.waitFor({ state: 'detached' });
    await runCommand('Show or hide conversations');
    await list.waitFor();
    await runCommand('Show or hide conversations');
    await list.waitFor({ state: 'detached' });
    await page.getByRole('banner').getByRole('button', { name: 'New conversation' }).waitFor();
    await page.reload();
    await conversationOn(page).composer.waitFor();
    expect(await list.count()).to.equal(0);
    await toggle.click();
    await pinned.waitFor();
    await choose('Second', 'Unpin');
    await pinned.waitFor({ state: 'detached' });
    expect((await titles())[0]).to.equal('First');
    await page.setViewportSize({ width: 390, height: 844 });
    const title = page.getByRole('banner').getByText('First', { exact: true });
    await title.waitFor();
    expect(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).to.equal(true);
    const drawer = page.getByRole('dialog', { name: 'Conversations' });
    await toggle.click();
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await isFocused(toggle)).to.equal(true);
    await runCommand('search');
    await drawer.getByRole('searchbox').and(page.locator(':focus')).waitFor();
    await drawer.getByRole('link', { name: 'Second' }).click();
    await drawer.waitFor({ state: 'detached' });
    await questions.getByText('Second?').waitFor();
  });

  it('open at the version and the words that match a search, unless the user scrolls meanwhile', async () => {
    const earlier = turn('Which depots are slow?', 'The one in Graz.');
    const paragraphs = Array.from({ length: 80 }, (_, index) => `Paragraph ${index}.`);
    const later = [
      turn('Which depots are late?', 'The one in Linz.'),
      { ...turn('Since when?', 'Since May.'), parentId: 'Which depots are late?' },
    ];
    const { page, questions, replies } = await visitWithConversations([
      { title: 'First', turns: [turn('First?')] },
      { title: 'Depots', turns: [earlier, ...later] },
      { title: 'Plants', turns: [turn('Which plants are slow?', [...paragraphs, 'Wien.'].join('\n\n'))] },
    ]);
    const { entry, list, search } = listOn(page);
    const find = async (words: string, title = 'Depots') => {
      await search.fill(words);
      await list.locator('mark').filter({ hasText: words }).first().waitFor();
      await entry(title).click();
    };
    await find('Graz');
    await replies.filter({ hasText: 'Graz' }).waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Which depots are slow?']);
    expect(await highlighted(page)).to.equal('Graz');
    await page.mouse.wheel(0, 50);
    expect(await highlighted(page)).to.equal('Graz');
    await page.keyboard.press('Shift');
    expect(await page.evaluate(() => CSS.highlights.has('passage'))).to.equal(false);

    // The title has the word, and so does the question.
    await find('slow');
    expect(await highlighted(page)).to.equal('slow');
    await questions.click();
    expect(await page.evaluate(() => CSS.highlights.has('passage'))).to.equal(false);

    // A match in the conversation that is already open. After a reload, its version is still shown without a search.
    await find('May');
    await replies.filter({ hasText: 'May' }).waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Which depots are late?', 'Since when?']);
    expect(await highlighted(page)).to.equal('May');
    await page.reload();
    await replies.filter({ hasText: 'May' }).waitFor();

    for (const event of ['wheel', 'touchmove']) {
      await search.fill('');
      await entry('First').click();
      await questions.getByText('First?').waitFor();
      await find('Wien', 'Plants');
      await page.waitForFunction(() => window.scrollY > window.innerHeight && CSS.highlights.has('passage'));
      const top = await page.evaluate(async (event) => {
        window.dispatchEvent(new Event(event));
        window.scrollTo({ top: 0, behavior: 'instant' });
        document.querySelector('[data-turn]')?.append(document.createElement('span'));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return window.scrollY;
      }, event);
      expect(top, event).to.be.below(100);
    }
  });

  it('are all on the page, even 500 of them, and can be searched, copied and read by screen readers', async () => {
    const now = Date.now();
    const { page, questions } = await visitWithConversations(
      Array.from({ length: 500 }, (_, index) => ({
        title: `Number ${index}`,
        lastActiveAt: now - index * 3_600_000,
        turns: [turn(`Question ${index}?`)],
      })),
    );
    const { entries, entry, list, search } = listOn(page);
    await page.waitForFunction(() => document.querySelectorAll('nav li').length === 500);
    await list.evaluate((element) => getSelection()?.selectAllChildren(element));
    const copied = await page.evaluate(() => getSelection()?.toString() ?? '');
    expect(copied.match(/Number \d+/g)).to.have.length(500);
    expect(await entries.and(page.locator(':not([inert] *)')).count()).to.equal(500);

    await search.fill('question 499');
    await list.getByText('1 conversation found.').waitFor();
    await entry('Number 499').click();
    await questions.getByText('Question 499?').waitFor();
  });

  it('are deleted on a confirmed sign-out, and can be exported and imported again', async function () {
    needs(this, 'downloads');
    const { page, composer, questions } = await visitNamed(['Where do we stand']);
    await composer.fill('Not sent yet');
    const dialog = page.getByRole('dialog', { name: /^Sign out/ });
    const count = dialog.getByText('1 conversation is stored on this device, with 1 draft.');
    await askToSignOutEverywhere(page);
    await count.waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await signOut(page);
    await count.waitFor();
    const { path: file } = await savedBy(page, dialog.getByRole('button', { name: 'Download and delete' }));
    const instruction = dialog.getByText('Check that the file was downloaded before you delete the conversations');
    await instruction.and(page.locator(':focus')).waitFor();
    await savedBy(page, dialog.getByRole('button', { name: 'Download again' }));
    await dialog.getByRole('button', { name: 'I have the file, delete' }).click();
    await page.waitForURL(pages.demo);

    await openLiveChat(page, people.onboarded);
    await page.getByText('Conversations that you start in this browser appear here.').waitFor();
    await openSettings(page);
    const settings = page.getByRole('dialog', { name: 'Settings' });
    const importField = settings.locator('input[type="file"]');
    await importField.setInputFiles(file);
    await settings.getByText('1 conversation was added.').waitFor();
    // Otherwise choosing the same file again would have no effect.
    expect(await importField.inputValue()).to.equal('');
    await settings.getByText('1 conversation on this device').waitFor();
    await settings.getByText(/^[\d.]+ \w+ of [\d,.]+ \w+ used$/).waitFor();
    await settings.getByText('Your browser may delete conversations if this device runs low on storage.').waitFor();
    await settings.getByRole('button', { name: 'Delete all conversations' }).click();
    expect(await isFocused(settings.getByRole('button', { name: 'Cancel' }))).to.equal(true);
    const confirm = settings.getByRole('button', { name: 'Delete conversations and drafts' });
    await page.evaluate(() => {
      const { clear } = IDBObjectStore.prototype;
      window.addEventListener('repaired', () => Object.assign(IDBObjectStore.prototype, { clear }));
      IDBObjectStore.prototype.clear = () => {
        throw new DOMException('', 'UnknownError');
      };
    });
    await confirm.click();
    await settings.getByRole('alert').getByText('The conversations couldn’t be deleted.').waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event('repaired')));
    await confirm.click();
    await settings.getByText('All conversations were deleted from this device.').and(page.locator(':focus')).waitFor();
    const json = (content: object) => ({
      name: 'notes.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(content)),
    });
    await importField.setInputFiles(json({}));
    const rejection = settings.getByText('This file doesn’t contain conversations.');
    await rejection.waitFor();
    expect(await rejection.evaluate((element) => element.closest('[role=status]')?.children.length)).to.equal(1);
    await importField.setInputFiles(
      json({ format: 'advisory-chat-conversations', version: 1, conversations: [{ title: 'Scrap' }, 5] }),
    );
    await settings.getByText('2 entries couldn’t be imported:').waitFor();
    expect(await settings.getByRole('listitem').allTextContents()).to.deep.equal([
      '“Scrap”: This entry isn’t a conversation.',
      'Entry 2: This entry isn’t a conversation.',
    ]);
    await importField.setInputFiles(file);
    await settings.getByText('1 conversation was added.').waitFor();
    await page.keyboard.press('Escape');
    await listOn(page).entry('Where do we stand').click();
    await questions.getByText('Where do we stand?').waitFor();
  });

  it('continue in the background while others cannot be regenerated and a question in another one is queued and then sent', async () => {
    const { page, ask, composer, error, questions, replies, stop, tryAgain, askUntilStarted } = await visitNamed([
      'Kept',
    ]);
    const { create, entries, entry } = listOn(page);
    await create.click();
    await questions.waitFor({ state: 'detached' });
    await askUntilStarted('please stall');
    const running = entries.filter({ hasText: 'Reply in progress…' });
    await entry('Kept').click();
    await questions.getByText('Kept?').waitFor();
    await tryAgain.click();
    await error.getByText('A reply is in progress in another conversation.').waitFor();
    await error.getByRole('button', { name: 'Go to conversation' }).click();
    await questions.getByText('please stall').waitFor();
    await create.click();
    await running.getByText('please stall').waitFor();
    await ask('And then?');
    const queue = page.getByRole('status').filter({ hasText: 'Waiting for the reply in please stall' });
    await queue.getByText('And then?').waitFor();
    expect(await error.count()).to.equal(0);
    expect(await composer.inputValue()).to.equal('');
    await queue.getByRole('button', { name: 'please stall' }).click();
    await replies.filter({ hasText: 'This is the offline' }).waitFor();
    await stop.click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await listOn(page).entry('And then?').click();
    await questions.getByText('And then?').waitFor();
    await queue.waitFor({ state: 'detached' });
    await running.waitFor({ state: 'detached' });
  });
});
