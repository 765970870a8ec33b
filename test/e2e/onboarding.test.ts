import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../client/language/messages/en.ts';
import { pages, routes } from '../../shared/interface.ts';
import { exampleOnboarding } from '../support/example-onboarding.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationUrl } from './support/conversation-list.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { boxOf, topOf } from './support/rendering.ts';
import { joiningPerson, mockSession, newPerson } from './support/session.ts';
import { fillOnboarding, signInAs, signInByRequest } from './support/sign-in.ts';
import { openEmptyPage } from './support/visit.ts';

describe('Onboarding', () => {
  it('shows errors at the fields, scrolls to the first one even in a short window, keeps the input, and does not move a field while it is corrected', async () => {
    const page = await openEmptyPage(undefined, { viewport: { width: 1024, height: 560 } });
    await signInByRequest(page, people.newWithMistakes);
    await page.goto(pages.onboarding);
    await page.getByLabel('Your role').fill('Head of operations');
    await page.getByRole('button', { name: 'Add an unknown' }).click();
    await page.getByRole('textbox', { name: 'Unknown 1' }).fill('?'.repeat(501));
    await page.getByRole('button', { name: 'Start the engagement' }).click();

    const company = page.getByLabel('Company name');
    await page.getByRole('alert').filter({ hasText: 'Some fields need attention.' }).waitFor();
    expect(await isFocused(company)).to.equal(true);
    for (const part of [page.getByText('Some fields need attention.'), company]) {
      const { top, bottom } = await boxOf(part);
      expect(top).to.be.at.least(60);
      expect(bottom).to.be.at.most(560);
    }
    const fieldErrors = [
      ['textbox', 'Company name', 'The company name is required.'],
      ['combobox', 'Industry', 'The industry is required.'],
      ['textbox', 'Unknown 1', 'An unknown can be up to 500 characters long.'],
    ] as const;
    for (const [role, name, sentence] of fieldErrors) {
      const field = page.getByRole(role, { name, description: sentence });
      expect(await field.getAttribute('aria-invalid')).to.equal('true');
      await page.getByRole('link', { name: sentence }).click();
      expect(await isFocused(field)).to.equal(true);
    }
    expect(await page.locator('[aria-invalid=true]').count()).to.equal(fieldErrors.length);
    expect(await page.getByLabel('Your role').inputValue()).to.equal('Head of operations');

    await company.focus();
    const before = await topOf(company);
    await company.fill(exampleOnboarding.company.name);
    expect(await page.locator('[aria-invalid=true]').count()).to.equal(fieldErrors.length - 1);
    expect(await topOf(company)).to.equal(before);
    const listed = page.getByRole('list');
    expect(await listed.getByRole('listitem').count()).to.equal(fieldErrors.length - 1);
    await page.getByRole('combobox', { name: 'Industry' }).fill(exampleOnboarding.company.industry);
    // An error that the attempt did not have is listed too.
    await page.getByRole('textbox', { name: 'Hypothesis 1' }).fill('!'.repeat(501));
    await listed.getByRole('link', { name: 'A hypothesis can be up to 500 characters long.' }).waitFor();
    await page.getByRole('textbox', { name: 'Hypothesis 1' }).fill('');
    await page.getByRole('button', { name: 'Remove unknown 1' }).click();
    expect(await isFocused(page.getByRole('button', { name: 'Add an unknown' }))).to.equal(true);
    await page.getByRole('alert').filter({ hasText: 'All errors are fixed.' }).waitFor();
    await fillOnboarding(page);
    await page.waitForURL(conversationUrl);
    expect(await page.evaluate(() => Object.keys(sessionStorage).join())).to.not.include('onboarding');

    const suggestions = page.getByRole('list', { name: 'Suggested questions' }).getByRole('button');
    expect(await suggestions.first().textContent()).to.equal(
      `How do we test this first: “${exampleOnboarding.engagement.hypotheses[0]}”?`,
    );

    // Another device does not know whether there are hypotheses.
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.includes('first-questions')) localStorage.removeItem(key);
    });
    await page.reload();
    await page.getByRole('button', { name: messages.live.unknowns }).waitFor();
    expect(await page.getByRole('button', { name: messages.live.hypotheses }).count()).to.equal(0);
  });

  it('suggests values, keeps the input across an expired session, reports a failed request, and waits when the rate limit is reached', async () => {
    const page = await openEmptyPage();
    await signInByRequest(page, people.neverOnboarded);
    await page.goto(pages.onboarding);
    const industry = page.getByRole('combobox', { name: 'Industry' });
    const options = page.getByRole('option');
    await industry.click();
    expect(await options.count()).to.be.greaterThan(5);
    await expectAccessible(page, 'a field with its proposals');
    await page.keyboard.type('logis');
    expect(await options.allTextContents()).to.deep.equal(['Logistics and transport']);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { selected: true }).waitFor();
    await page.keyboard.press('Enter');
    expect(await industry.inputValue()).to.equal('Logistics and transport');
    expect(await options.count()).to.equal(0);
    expect(await page.getByText('Some fields need attention.').count()).to.equal(0);

    // Enter does not choose a suggestion that was selected before the text was typed.
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { selected: true }).waitFor();
    await industry.fill('tra');
    await page.keyboard.press('Enter');
    expect(await industry.inputValue()).to.equal('tra');
    await industry.fill('Metal casting');
    await page.keyboard.press('Escape');
    expect(await industry.inputValue()).to.equal('Metal casting');
    const size = page.getByRole('combobox', { name: 'Company size' });
    await page.getByRole('button', { name: 'Suggestions' }).nth(1).click();
    await page.getByRole('option', { name: '51 to 250 people' }).click();
    expect(await size.inputValue()).to.equal('51 to 250 people');
    await size.press('ArrowUp');
    expect(await options.last().getAttribute('aria-selected')).to.equal('true');
    await size.press('Tab');
    expect(await options.count()).to.equal(0);
    expect(await size.inputValue()).to.equal('51 to 250 people');

    const company = page.getByLabel('Company name');
    const hypothesis = (number: number) => page.getByRole('textbox', { name: `Hypothesis ${number}` });
    await company.fill(exampleOnboarding.company.name);
    await page.getByLabel('Your role').fill('Head of operations');
    await hypothesis(1).fill('Most of the lead time is waiting');
    await hypothesis(1).press('Enter');
    await hypothesis(2).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    expect(await hypothesis(3).count()).to.equal(0);
    await hypothesis(2).pressSequentially('Changeovers cost a day a week');

    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signInAs(page, people.neverOnboarded);
    await page.waitForURL(pages.onboarding);
    expect(await company.inputValue()).to.equal(exampleOnboarding.company.name);
    expect(await hypothesis(1).inputValue()).to.equal('Most of the lead time is waiting');
    expect(await hypothesis(2).inputValue()).to.equal('Changeovers cost a day a week');

    let status = 503;
    await page.route(`**${routes.onboarding}`, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status, headers: { 'Retry-After': '900' }, body: 'RATE_LIMITED: In words of its own.' })
        : route.fallback(),
    );
    await page.clock.install();
    const send = page.getByRole('button', { name: 'Start the engagement' });
    await send.click();
    await page.getByRole('alert').getByText(messages.onboarding.notSaved).waitFor();
    status = 429;
    await send.click();

    const notice = page.getByRole('alert').filter({ hasText: 'Too many forms were submitted from your network.' });
    await notice.getByText(/^\d+ min \d\d s$/).waitFor();
    await page.clock.fastForward(500_000);
    await notice.getByText(/^\d min \d\d s$/).waitFor();
    expect(await send.isDisabled()).to.equal(true);
    await page.clock.fastForward(500_000);
    await notice.waitFor({ state: 'detached' });
    expect(await send.isEnabled()).to.equal(true);
    expect(await company.inputValue()).to.equal(exampleOnboarding.company.name);
  });

  it('asks about the organization if its other members have left in the meantime, and shows the errors of the service at their fields', async () => {
    const page = await openEmptyPage();
    const changeSession = await mockSession(page, joiningPerson);
    await page.route(routes.onboarding, (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      changeSession(newPerson);
      const sentences = {
        'profile.role': 'A sentence of the service.',
        'engagement.hypotheses': 'Too few.',
        'engagement.unknowns.1': 'Too vague.',
      };
      return route.fulfill({ status: 422, json: sentences });
    });
    await page.goto(pages.onboarding);
    await page.getByLabel('Your role').fill('Adviser');
    const unknown = page.getByRole('textbox', { name: 'Unknown' });
    await unknown.fill('What waiting costs');
    await page.getByRole('button', { name: 'Add an unknown' }).click();
    await unknown.nth(1).fill('Who decides');
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.getByLabel('Company name').waitFor();
    expect(await page.getByLabel('Your role').inputValue()).to.equal('Adviser');
    const refused = page.getByRole('combobox', { name: 'Your role', description: 'A sentence of the service.' });
    expect(await refused.getAttribute('aria-invalid')).to.equal('true');
    await page.getByRole('link', { name: 'A sentence of the service.' }).waitFor();
    await page.getByRole('group', { name: 'Hypotheses' }).getByText('Too few.').waitFor();
    await unknown.first().fill('');
    await page.getByRole('textbox', { name: 'Unknown 2', description: 'Too vague.' }).waitFor();
  });
});
