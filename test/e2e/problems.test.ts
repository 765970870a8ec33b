import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../client/language/messages/en.ts';
import { formatError } from '../../shared/errors.ts';
import { pages, routes } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { visit } from './support/visit.ts';

const { limit, problem } = messages;

describe('an error in the browser', () => {
  it('says the next step and does it, and offers to try again only where that can help', async () => {
    const page = await visit(pages.demo);
    const { ask, composer, error, questions, tryAgain } = conversationOn(page);
    let answer: { status: number; body?: string } = { status: 413 };
    await page.route(routes.demoChat, (route) => route.fulfill(answer));

    await ask('Far too long?');
    await error.getByText(problem.tooLongNext).waitFor();
    expect(await tryAgain.count()).to.equal(0);
    await page.getByRole('button', { name: problem.edit }).click();
    expect(await composer.inputValue()).to.equal('Far too long?');

    answer = { status: 400, body: formatError('UPSTREAM_BAD_REQUEST') };
    await composer.press('Enter');
    await error.getByText(problem.modelRefusedNext).waitFor();
    expect(await tryAgain.count()).to.equal(0);
    await page.getByRole('button', { name: problem.newConversation }).click();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();

    answer = { status: 400, body: formatError('MISSING_MESSAGES') };
    await ask('Where do we stand?');
    await error.getByText(problem.badRequestNext).waitFor();
    answer = { status: 500, body: formatError('INTERNAL') };
    await ask('And now?');
    await error.getByText(problem.serviceFailedNext).waitFor();
    answer = { status: 200, body: 'In week 3.' };
    await tryAgain.click();
    await page.getByText('In week 3.').waitFor();
    expect(await questions.count()).to.equal(2);
  });

  it('of the demo’s limit is calm: it says when it goes on, offers to sign in first, and outlives a reload', async () => {
    const page = await visit(pages.demo);
    const { ask, composer, error } = conversationOn(page);
    const headers = { 'Retry-After': '3500' };
    await page.route(routes.demoChat, (route) =>
      route.fulfill({ status: 429, headers, body: formatError('RATE_LIMITED', 3500) }),
    );
    const notice = page.locator('.notice').filter({ hasText: limit.demo });
    const send = page.getByRole('button', { name: /^Send at/ });
    await ask('One too many?');
    await notice.getByText(/You can ask again at \d/).waitFor();
    expect(await error.count()).to.equal(0);

    await page.reload();
    await notice.getByText(/You can ask again at \d/).waitFor();
    await composer.fill('And now?');
    await send.waitFor();
    expect(await send.isDisabled()).to.equal(true);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await notice.getByText(/You can ask again at \d/).waitFor();
    await notice.locator('a, button').first().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
