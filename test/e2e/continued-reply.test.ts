import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages as german } from '../../client/language/messages/de.ts';
import { messages } from '../../client/language/messages/en.ts';
import { errorLine } from '../../shared/errors.ts';
import { modelOptions, routes } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { expectAccessible } from './support/axe.ts';
import { visitDemo } from './support/sign-in.ts';

describe('An incomplete reply', () => {
  it('can be continued after the maximum length, and shows the continuation below it, even after a reload', async () => {
    const { page, ask, finished, questions, replies } = await visitDemo();
    const sentence = 'We count hours of waiting. ';
    const long = `${sentence.repeat((modelOptions.demo.maxTokens * 4) / sentence.length)}The next step`;
    const bodies = [long, 'is pricing.', 'Yes'];
    const requests: string[] = [];
    await page.route(routes.demoChat, async (route) => {
      requests.push(route.request().postDataJSON().messages.at(-1).content);
      await route.fulfill({ contentType: 'text/plain; charset=utf-8', status: 200, body: bodies.shift() ?? '' });
    });
    await ask('Where does this engagement stand?');
    await finished();
    const notice = page.getByText('This reply may have reached its maximum length.');
    await notice.waitFor();
    await expectAccessible(page, 'a reply that may have been cut');
    await page.getByRole('button', { name: 'Continue' }).click();
    await replies.nth(1).getByText('is pricing.').waitFor();
    await notice.waitFor({ state: 'detached' });
    expect(requests).to.deep.equal(['Where does this engagement stand?', messages.problem.continueQuestion]);
    expect(await questions.count()).to.equal(1);
    await page.getByText('Continued', { exact: true }).waitFor();

    await page.reload();
    await page.getByText('Continued', { exact: true }).waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where does this engagement stand?']);
    await page.evaluate(() => localStorage.setItem('advisory-chat:language', 'de'));
    await page.reload();
    await page.getByText(german.conversation.continued, { exact: true }).waitFor();
    await page.evaluate(() => localStorage.removeItem('advisory-chat:language'));
    await page.reload();

    await ask('Is that so?');
    await replies.nth(2).getByText('Yes').waitFor();
    expect(await notice.count()).to.equal(0);
  });

  it('can be continued after a failure, and the model receives the partial text', async () => {
    const { page, ask, questions, replies } = await visitDemo();
    const half = 'The next step is';
    const bodies = [half + errorLine, 'pricing.'];
    const requests: Message[][] = [];
    await page.route(routes.demoChat, async (route) => {
      requests.push(route.request().postDataJSON().messages);
      await route.fulfill({ contentType: 'text/plain; charset=utf-8', status: 200, body: bodies.shift() ?? '' });
    });
    await ask('Where does this engagement stand?');
    const actions = page.locator('.notice').getByRole('button', { name: /^(Continue|Try again)$/ });
    await actions.first().waitFor();
    expect(await actions.allTextContents()).to.deep.equal(['Continue', 'Try again']);
    await actions.first().click();
    await replies.nth(1).getByText('pricing.').waitFor();
    await page.getByText('Continued', { exact: true }).waitFor();
    expect(requests[1]?.map(({ content }) => content)).to.deep.equal([
      'Where does this engagement stand?',
      half,
      messages.problem.continueQuestion,
    ]);
    expect(await questions.count()).to.equal(1);
    expect(await actions.count()).to.equal(0);
  });
});
