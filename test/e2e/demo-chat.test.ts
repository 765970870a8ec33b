import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { answerWith } from './support/conversation.ts';
import { needs } from './support/engine.ts';
import { topOf } from './support/rendering.ts';
import { visitDemo } from './support/sign-in.ts';

describe('Demo chat', () => {
  it('shows an introduction, and answers a suggested question', async () => {
    const { page, finished, questions, renderedReply, stop } = await visitDemo();
    await page.getByText('This conversation is about a fictional manufacturing company.').waitFor();
    await page.getByText('Nothing is stored on the server.').waitFor();
    for (const name of ['Sign in', 'Work on your own engagement']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.goBack();
    }
    const suggestion = page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first();
    const suggested = await suggestion.textContent();
    await suggestion.click();
    await finished();
    expect(await renderedReply()).to.contain(`Your message was “${suggested}”, sent with no earlier messages.`);
    expect(await questions.allTextContents()).to.deep.equal([suggested]);
    expect(await stop.count()).to.equal(0);
  });

  it('shows its introduction after "New conversation", which can be undone until the next question is sent', async () => {
    const { page, questions, renderedReply, replies, exchange } = await visitDemo();
    await exchange('Where do we stand?');
    await renderedReply();
    const texts = await replies.allTextContents();
    const create = page.getByRole('button', { name: 'New conversation' });
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.mouse.wheel(0, 9999);
    await page.waitForFunction(() => window.scrollY > 100);
    await create.click();
    const heading = page.getByRole('heading', { name: 'Try an advisory conversation' });
    await heading.waitFor();
    expect(await page.evaluate(() => window.scrollY)).to.equal(0);
    expect(await topOf(heading)).to.be.greaterThan(0);
    await undo.click();
    await replies.waitFor();
    await page.locator('textarea:focus').waitFor();
    expect(await replies.allTextContents()).to.deep.equal(texts);

    await create.click();
    await undo.waitFor();
    await exchange('What matters most?');
    await undo.waitFor({ state: 'detached' });
    await page.reload();
    await questions.waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['What matters most?']);
  });

  it('says that a reply is empty, or that the page was left if a navigation has cut the connection', async () => {
    const { page, ask } = await visitDemo();
    await answerWith(page, '\n\n');
    await ask('Where do we stand?');
    await page.getByText('The reply was empty.').waitFor();

    await page.route(routes.demoChat, async (route) => {
      await page.evaluate(() => window.dispatchEvent(new Event('beforeunload')));
      await route.abort();
    });
    await ask('And then?');
    await page.getByText('You left the page or signed out before the reply started.').waitFor();
  });

  it('sends one request on a double click on Send, and does not stop the reply', async function () {
    needs(this, 'click counts');

    const { page, composer, questions, send, stop } = await visitDemo();
    // This request is never answered.
    await page.route(routes.demoChat, () => {});
    await composer.fill('What matters most?');
    await send.click();
    await stop.waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.getByText('Thinking…').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['What matters most?']);
    expect(await stop.count()).to.equal(1);
  });
});
