import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { routes } from '../../shared/interface.ts';
import { answerWith } from './support/conversation.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { boxOf, distanceBelowHeader, untilRendered } from './support/rendering.ts';
import { visitDemo, visitLiveChat } from './support/sign-in.ts';

const inLine = (page: Page) => page.getByRole('status').filter({ hasText: 'Waiting for this reply' });
const waiting = (page: Page) => page.getByRole('status').filter({ hasText: 'Waiting' });

describe('A queued question', () => {
  it('scrolls to the top of the window when it is sent while the end of the previous reply is in view', async () => {
    const { page, ask, questions, replies, finished } = await visitDemo(undefined, { reducedMotion: 'reduce' });
    const { promise: reply, resolve: answer } = Promise.withResolvers<string>();
    await answerWith(page, reply);
    await ask('Where do we stand?');
    await page.getByText('Thinking…').waitFor();
    for (const question of ['What is next?', 'And then?']) {
      await ask(question);
      await inLine(page).getByText(question).waitFor();
    }
    answer('Line.\n\n'.repeat(6));
    await questions.nth(2).waitFor();
    await replies.nth(2).waitFor();
    await finished();
    await untilRendered(page);
    expect(await distanceBelowHeader(questions.last())).to.be.closeTo(16, 1);
    expect(await page.getByRole('button', { name: /^(Jump to latest|Reply finished)/ }).count()).to.equal(0);
  });

  it('is shown above the message field, and is sent when the reply has ended, without moving the text in view', async () => {
    const { page, ask, composer, questions, replies, finished } = await visitDemo();
    const { promise: reply, resolve: answer } = Promise.withResolvers<string>();
    await answerWith(page, reply, 'Pricing.');
    await ask('Where does this engagement stand?');
    await page.getByText('Thinking…').waitFor();
    await composer.fill('What is next?');
    await page.getByRole('button', { name: 'Send after this reply' }).waitFor();
    await composer.press('Enter');
    await inLine(page).getByText('What is next?').waitFor();
    expect(await composer.inputValue()).to.equal('');

    const before = await page.evaluate(() => window.scrollY);
    answer('Week after week.\n\n'.repeat(200));
    await questions.nth(1).waitFor({ state: 'attached' });
    await finished();
    await page.waitForFunction(() => document.body.textContent?.includes('Pricing.'));
    expect(await questions.allTextContents()).to.deep.equal(['Where does this engagement stand?', 'What is next?']);
    expect(await replies.last().textContent()).to.equal('Pricing.');
    expect(await page.evaluate(() => window.scrollY)).to.equal(before);
    expect(await inLine(page).count()).to.equal(0);
  });

  it('takes at most two lines, returns to the message field by its button or the up arrow key, and can be removed', async () => {
    const { page, ask, composer } = await visitDemo();
    await page.route(routes.demoChat, () => {});
    await ask('Where does this engagement stand?');
    await page.getByText('Thinking…').waitFor();
    await ask('And in summer?');
    await ask('Which of these weeks had the most waiting time before the furnace, and why? '.repeat(6));
    const lines = inLine(page).getByRole('listitem');
    await lines.nth(1).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const [index, line] of (await lines.all()).entries()) {
        const buttons = line.getByRole('button');
        expect(await buttons.count()).to.equal(2);
        for (const button of await buttons.all())
          expect(await boxOf(button), `${width}`).to.include({ width: 32, height: 32 });
        const words = await line.getByRole('paragraph').evaluate((paragraph) => {
          const { lineHeight } = getComputedStyle(paragraph);
          return paragraph.clientHeight / Number.parseFloat(lineHeight);
        });
        expect(words, `${width}`).to.be.closeTo(index + 1, 0.1);
      }
    }
    await lines.first().getByRole('button', { name: 'Edit' }).click();
    expect(await composer.inputValue()).to.equal('And in summer?');
    expect(await isFocused(composer)).to.equal(true);
    await composer.press('Enter');
    await lines.last().getByText('And in summer?').waitFor();
    await composer.press('ArrowUp');
    await lines.nth(1).waitFor({ state: 'detached' });
    expect(await composer.inputValue()).to.equal('And in summer?');
    expect(await isFocused(composer)).to.equal(true);
    await composer.press('Enter');
    await lines.last().getByText('And in summer?').waitFor();
    await lines.last().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('And in summer?').waitFor({ state: 'detached' });
    expect(await lines.count()).to.equal(1);
    expect(await isFocused(composer)).to.equal(true);
    expect(await composer.inputValue()).to.equal('');
  });

  it('stays queued after a stop and a reload, until the user sends it', async () => {
    const { page, ask, finished, questions, stop, askUntilStarted } = await visitLiveChat(people.onboarded);
    await askUntilStarted('Where do we stand? (please stall)');
    await ask('What is next?');
    await inLine(page).waitFor();
    await stop.click();
    await waiting(page).getByText('What is next?').waitFor();
    await page.reload();
    await waiting(page).getByText('What is next?').waitFor();
    await page.getByRole('button', { name: 'Send now' }).click();
    await finished();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand? (please stall)', 'What is next?']);
    expect(await waiting(page).count()).to.equal(0);
  });
});
