import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { inARow, turn } from '../client/chat/turns.ts';
import { eventually } from '../support/eventually.ts';
import { expectAccessible } from './support/axe.ts';
import { listOn } from './support/conversation-list.ts';
import { isFocused } from './support/focus.ts';
import { topOf, untilRendered } from './support/rendering.ts';
import { visitWithConversations } from './support/stored-conversations.ts';

/** Opens live chat with one conversation of `count` turns. Each has the words twice, once across emphasis. */
const visitLong = (count: number) => visitWithConversations([long(count)]);

function long(count: number, topic = 'the mill') {
  const turns = Array.from({ length: count }, (_, n) =>
    turn(`Question ${n}?`, `## Week ${n}\n\nThe **lead** time of ${topic}. Lead time.`),
  );
  return { title: 'Long', turns: inARow(...turns) };
}

const marked = (page: Page) =>
  page.evaluate(() =>
    [...(CSS.highlights.get('passage') ?? [])].map((range) =>
      range instanceof Range
        ? (range.startContainer.parentElement?.closest('[data-turn]')?.querySelector('.question')?.textContent ?? '') +
          range
        : '',
    ),
  );

/** Returns the first question that is in view below the header. */
async function firstReadOn(page: Page): Promise<Locator> {
  const questions = page.getByRole('article', { name: 'You' });
  const index = await questions.evaluateAll((elements) => {
    const bottom = Math.max(0, document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0);
    return elements.findIndex((element) => element.getBoundingClientRect().top >= bottom);
  });
  return questions.nth(index);
}

describe('Find in conversation', () => {
  it('requests its style sheet again after a failure', async () => {
    const { page, composer, questions } = await visitLong(3);
    const styles = /find-bar-[^/]+\.css$/;
    await page.route(styles, (route) => route.abort('connectionrefused'), { times: 1 });
    await page.reload();
    await questions.first().waitFor();
    const retried = page.waitForResponse(styles);
    await composer.focus();
    await (await retried).finished();
    await page.keyboard.press('Control+f');
    const bar = page.getByRole('search');
    await bar.waitFor();
    expect(await bar.evaluate((element) => getComputedStyle(element).position)).to.equal('sticky');
  });

  it('opens with Ctrl+F and steps through the matches like a browser; if its code cannot be loaded, the conversation stays usable', async () => {
    const { page, composer, questions } = await visitLong(60);
    const contentType = 'text/javascript';
    await page.route(/find-bar-[^/]+\.js$/, (route) => route.fulfill({ contentType, body: 'throw new Error()' }));
    await page.reload();
    await questions.first().waitFor();
    await page.keyboard.press('Control+f');
    const dialog = page.getByRole('dialog', { name: /couldn’t be loaded/ });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await questions.count()).to.equal(60);
    await page.unroute(/find-bar-[^/]+\.js$/);
    const preloaded = Promise.all(
      [/find-bar-[^/]+\.js$/, /find-bar-[^/]+\.css$/].map((chunk) => page.waitForResponse(chunk)),
    );
    await page.reload();

    await composer.focus();
    await preloaded;
    await untilRendered(page);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('LEAD time');
    const bar = page.getByRole('search');
    const field = bar.getByRole('textbox', { name: 'Find in conversation' });
    expect(await isFocused(field)).to.equal(true);
    expect(await field.inputValue()).to.equal('LEAD time');
    await bar.getByText(/^\d+ of 120$/).waitFor();
    // "lead" also has 120 matches, so the count does not show that the search for "LEAD time" has finished.
    await eventually(async () => (/lead time$/i.test((await marked(page))[0] ?? '') ? true : undefined));
    await page.keyboard.press('Enter');
    const [first = ''] = await marked(page);
    await page.keyboard.press('Enter');
    const [second = ''] = await marked(page);
    expect(second)
      .to.match(/lead time$/i)
      .and.not.equal(first);
    await page.keyboard.press('Shift+Enter');
    expect(await marked(page)).to.deep.equal([first]);
    await bar.getByRole('button', { name: 'Previous result' }).click();
    expect(await marked(page)).to.not.deep.equal([first]);
    await expectAccessible(page, 'a conversation in which words are found');
    await field.fill('no such words');
    await bar.getByText('No results').waitFor();
    await field.press('Escape');
    await bar.waitFor({ state: 'detached' });
    expect(await marked(page)).to.deep.equal([]);
    expect(await isFocused(composer)).to.equal(true);
  });

  it('scrolls to the first match while words are typed, unless a match is in view already', async () => {
    const { page, questions } = await visitLong(40);
    await questions.nth(39).waitFor();
    const { innerHeight } = await page.evaluate(() => ({ innerHeight: window.innerHeight }));
    const scrollTop = () => page.evaluate(() => window.scrollY);
    await page.keyboard.press('Control+f');
    const bar = page.getByRole('search');
    await bar.waitFor();
    await untilRendered(page);
    const before = await scrollTop();
    await page.keyboard.type('question 39');
    await bar.getByText('1 of 1').waitFor();
    await untilRendered(page);
    expect(await scrollTop()).to.equal(before);

    await bar.getByRole('textbox').fill('question 3?');
    await bar.getByText('1 of 1').waitFor();
    const { y = 0, height = 0 } = (await bar.boundingBox()) ?? {};
    const top = await eventually(async () => {
      const now = await topOf(questions.getByText('Question 3?', { exact: true }));
      return now > y + height ? now : undefined;
    });
    expect(top).to.be.below(innerHeight);
  });

  it('inserts no typed letters into the message field while the code of the find bar loads', async () => {
    const { page, composer } = await visitLong(2);
    const loading = Promise.withResolvers<void>();
    await page.route(/find-bar-[^/]+\.js$/, async (route) => {
      await loading.promise;
      await route.continue();
    });
    await page.reload();
    await composer.focus();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('lead');
    loading.resolve();
    const field = page.getByRole('search').getByRole('textbox');
    await field.and(page.locator(':focus')).waitFor();
    expect(await composer.inputValue()).to.equal('');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(await isFocused(composer)).to.equal(true);
  });

  it('pushes the conversation down by its height on any screen, covers no text, and releases the space when it closes', async () => {
    const { page, questions } = await visitLong(40);
    // Earlier turns render later, which would change the index of a question.
    await questions.nth(39).waitFor();
    const bar = page.getByRole('search');
    for (const size of [
      { width: 390, height: 844 },
      { width: 640, height: 400 },
      { width: 1280, height: 800 },
    ]) {
      const where = `at a width of ${size.width}`;
      await page.setViewportSize(size);
      await page.keyboard.press('Control+f');
      await bar.waitFor();
      await page.evaluate(() => window.scrollTo(0, 0));
      await untilRendered(page);
      const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { y: Number.NaN, height: 0 };
      const { y, height } = await boxOf(bar);
      const header = await boxOf(page.getByRole('banner'));
      expect(y, where).to.be.closeTo(header.y + header.height, 0.5);
      expect(height, where).to.be.at.most(56);
      expect((await boxOf(questions.first())).y, where).to.be.at.least(y + height);
      await page.keyboard.press('Escape');
      await bar.waitFor({ state: 'detached' });

      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await untilRendered(page);
      await page.mouse.move(size.width / 2, 200);
      await page.mouse.wheel(0, -900);
      await untilRendered(page);
      const firstRead = await firstReadOn(page);
      const before = await topOf(firstRead);
      await page.keyboard.press('Control+f');
      await bar.waitFor();
      await untilRendered(page);
      const { y: barTop, height: barHeight } = await boxOf(bar);
      expect(await topOf(firstRead), where).to.be.closeTo(before + barHeight, 0.5);
      expect(await topOf(firstRead), where).to.be.at.least(barTop + barHeight);
      await page.keyboard.press('Escape');
      await bar.waitFor({ state: 'detached' });
      await untilRendered(page);
      expect(await topOf(firstRead), where).to.be.closeTo(before, 0.5);
    }
  });

  it('continues from a search in the list, handles Ctrl+F and Escape from anywhere, and does not stop a reply', async () => {
    const { page, ask, started, composer, questions, stop } = await visitWithConversations([
      { title: 'Other', turns: inARow(turn('Other?', 'Nothing.')) },
      { title: 'Foundry?', turns: inARow(turn('Foundry?', 'Week 1.'), turn('And then?', 'Week 2.')) },
      long(3, '[the mill](https://example.com)'),
    ]);
    const { list, search } = listOn(page);
    const bar = page.getByRole('search');
    await search.fill('foundry');
    await list.getByText('1 conversation found.').waitFor();
    await list.getByRole('link', { name: 'Foundry?' }).click();
    await questions.getByText('Foundry?').waitFor();
    await untilRendered(page);
    expect(await bar.count()).to.equal(0);

    await search.fill('lead time of the mill');
    const passage = list.locator('.entry-passage');
    await passage.filter({ hasText: 'lead time' }).waitFor();
    expect(await passage.textContent()).to.equal('Week 0 The lead time of the mill. Lead time.');
    await list.getByRole('link', { name: 'Long' }).click();
    await bar.getByText('1 of 3').waitFor();
    expect(await marked(page)).to.deep.equal(['Question 0?lead time of the mill']);
    const field = bar.getByRole('textbox');
    expect(await isFocused(field)).to.equal(false);
    await bar.getByRole('button', { name: 'Next result' }).click();
    expect(await marked(page)).to.deep.equal(['Question 1?lead time of the mill']);

    await page.locator('.reply').first().click();
    expect(await isFocused(composer)).to.equal(false);
    await page.keyboard.press('Control+f');
    await field.and(page.locator(':focus')).waitFor();
    await ask('And now? (please stall)');
    await started();
    await page.locator('.reply').last().click();
    expect(await isFocused(composer)).to.equal(false);
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    expect(await stop.count()).to.equal(1);
  });

  it('opens on Ctrl+F in a conversation of one turn; Escape in the message field or the list closes it and does not move the focus', async () => {
    const { page, composer } = await visitWithConversations([
      { title: 'Foundry?', turns: inARow(turn('Foundry?', 'Week 1. The foundry waits.')) },
    ]);
    const { entry, search } = listOn(page);
    const bar = page.getByRole('search');
    for (const part of [composer, entry('Foundry?'), search]) {
      await part.focus();
      await page.keyboard.press('Control+f');
      await bar.getByRole('textbox').and(page.locator(':focus')).waitFor();
      await part.focus();
      await page.keyboard.press('Escape');
      await bar.waitFor({ state: 'detached' });
      expect(await isFocused(part)).to.equal(true);
    }

    // The title has the word, and so does the reply.
    await search.fill('foundry');
    await page.getByText('1 conversation found.').waitFor();
    await entry('Foundry?').click();
    await bar.getByText(/of 2$/).waitFor();
  });
});
