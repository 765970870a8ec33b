import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { perSuite } from '../support/per-suite.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { isFocused } from './support/focus.ts';
import { boxOf } from './support/rendering.ts';
import { sharedScriptedProduct } from './support/scripted-product.ts';
import { openWithTurns } from './support/stored-conversations.ts';

function versionsOn(page: Page, of: 'question' | 'reply') {
  const versions = page.getByRole('group', { name: `Versions of this ${of}` }).last();
  return {
    versions,
    previous: versions.getByRole('button', { name: `Previous version of this ${of}` }),
    next: versions.getByRole('button', { name: `Next version of this ${of}` }),
    untilShown: (number: number, count: number) =>
      versions
        .getByRole('status')
        .filter({ hasText: `version ${number} of ${count}` })
        .waitFor(),
  };
}

const asked = [turn('Where do we stand?', 'In week 3.'), turn('What is next?', 'Pricing.')];

describe('Versions', () => {
  const scripted = perSuite(() => sharedScriptedProduct());

  async function visitAsked() {
    const page = await openWithTurns(asked, undefined, scripted.product);
    await page.goto(pages.demo);
    const conversation = conversationOn(page);
    await conversation.replies.nth(1).locator('.markdown').waitFor();
    return { page, ...conversation };
  }

  it('keep the earlier reply available after a regeneration is stopped', async () => {
    const { page, replies, stop } = await visitAsked();
    const { previous, next, untilShown, versions } = versionsOn(page, 'reply');
    const { say } = scripted.nextReply();
    await page.getByRole('button', { name: 'Try again' }).last().click();
    await say('Sup');
    await replies.filter({ hasText: 'Sup' }).waitFor();
    await stop.click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await untilShown(2, 2);
    expect(await versions.locator('..').getByRole('button', { name: 'Copy reply' }).count()).to.equal(1);

    await previous.click();
    await untilShown(1, 2);
    expect(await replies.allTextContents()).to.deep.equal(['In week 3.', 'Pricing.']);
    expect(await page.getByRole('status').getByText('Reply finished').count()).to.equal(0);

    const before = await boxOf(versions);
    await next.click();
    await untilShown(2, 2);
    expect(await boxOf(versions)).to.deep.equal(before);
    await page.reload();
    await untilShown(2, 2);
    await previous.press('Enter');
    await untilShown(1, 2);
    expect(await isFocused(previous)).to.equal(true);
  });

  it('can be created for any question with the keyboard, without moving or losing anything', async () => {
    const { page, composer, questions, replies, finished } = await visitAsked();
    const { previous, untilShown } = versionsOn(page, 'question');
    const first = questions.first();
    const label = page.getByText('Editing', { exact: true });
    const reply = page.getByText('Pricing.');
    const opacity = () => reply.evaluate((text) => getComputedStyle(text.closest('[data-turn]') ?? text).opacity);
    await composer.fill('A draft');
    const before = await boxOf(first);
    await page.getByRole('button', { name: 'Edit question' }).first().press('Enter');
    await label.waitFor();
    expect(await boxOf(first)).to.deep.equal(before);
    expect(await first.evaluate((element) => getComputedStyle(element).outlineStyle)).to.equal('solid');
    expect(await opacity()).to.equal('0.7');
    await expectAccessible(page, 'the edit of an earlier question');
    await composer.press('Escape');
    await label.waitFor({ state: 'detached' });
    expect(await opacity()).to.equal('1');

    await page.getByRole('button', { name: 'Edit question' }).first().press('Enter');
    await page.getByText('You’re editing a question. The later turn stays with the current version.').waitFor();
    expect(await composer.inputValue()).to.equal('Where do we stand?');
    expect(await isFocused(composer)).to.equal(true);
    scripted.replyWith('In week 4.');
    await composer.fill('Where are we?');
    await composer.press('Enter');
    await replies.filter({ hasText: 'In week 4.' }).waitFor();
    await finished();
    await untilShown(2, 2);
    expect(await questions.allTextContents()).to.deep.equal(['Where are we?']);
    expect(await composer.inputValue()).to.equal('A draft');

    await previous.press('Enter');
    await untilShown(1, 2);
    expect(await isFocused(previous)).to.equal(true);
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?', 'What is next?']);
    expect(await replies.allTextContents()).to.deep.equal(['In week 3.', 'Pricing.']);
  });

  it('cannot be switched while a reply is streamed, but can once it has ended', async () => {
    const { page, ask, replies, finished } = await visitAsked();
    const { previous, untilShown } = versionsOn(page, 'reply');
    scripted.replyWith('Suppliers.');
    await page.getByRole('button', { name: 'Try again' }).last().click();
    await replies.filter({ hasText: 'Suppliers.' }).waitFor();
    await untilShown(2, 2);
    const { say, end } = scripted.nextReply();
    await ask('Why?');
    await say('Because');
    await replies.filter({ hasText: 'Because' }).waitFor();
    expect(await previous.getAttribute('aria-disabled')).to.equal('true');
    await previous.press('Enter');
    await untilShown(2, 2);
    expect(await isFocused(previous)).to.equal(true);
    await say(' they wait.');
    await end();
    await finished();
    expect(await replies.allTextContents()).to.deep.equal(['In week 3.', 'Suppliers.', 'Because they wait.']);
    await previous.press('Enter');
    await untilShown(1, 2);
    expect(await replies.allTextContents()).to.deep.equal(['In week 3.', 'Pricing.']);
  });

  it('can be requested for any reply: later turns stay in the earlier version, which is one click away, and the message field gets the focus', async () => {
    const { page, composer, replies, finished } = await visitAsked();
    const { previous, next, untilShown } = versionsOn(page, 'reply');
    scripted.replyWith('In week 4.');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await replies.filter({ hasText: 'In week 4.' }).waitFor();
    await finished();
    expect(await isFocused(composer)).to.equal(true);
    await untilShown(2, 2);
    expect(await replies.allTextContents()).to.deep.equal(['In week 4.']);
    await previous.click();
    await untilShown(1, 2);
    expect(await replies.allTextContents()).to.deep.equal(['In week 3.', 'Pricing.']);

    await next.click();
    await expectAccessible(page.getByText('1 later turn belongs to version 1.'), 'a version without the later turns');
    await page.reload();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await untilShown(1, 2);
    expect(await replies.allTextContents()).to.deep.equal(['In week 3.', 'Pricing.']);
    expect(await page.getByText('later turn').count()).to.equal(0);
  });

  it('have buttons in the rows of actions that are always visible, and nothing moves when another version is shown', async () => {
    const { page, composer, replies, finished } = await visitAsked();
    scripted.replyWith('Pricing and suppliers.');
    await page.getByRole('button', { name: 'Edit question' }).last().press('Enter');
    await composer.fill('What is nextly?');
    await composer.press('Enter');
    await replies.filter({ hasText: 'Pricing and suppliers.' }).waitFor();
    await finished();
    const { versions, previous, untilShown } = versionsOn(page, 'question');
    await page.mouse.move(0, 0);
    expect(await versions.locator('..').getByRole('button', { name: 'Copy question' }).count()).to.equal(1);
    expect(await versions.evaluate((element) => element.checkVisibility({ opacityProperty: true }))).to.equal(true);
    const { top } = await boxOf(versions);
    await previous.click();
    await untilShown(1, 2);
    expect((await boxOf(versions)).top).to.equal(top);
  });
});
