import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { needs } from './support/engine.ts';
import { recordReplyTexts } from './support/reply-texts.ts';
import { visitDemo } from './support/sign-in.ts';

describe('Demo chat', () => {
  it('shows an introduction and streams a reply', async () => {
    const { page, finished, questions, renderedReply, stop } = await visitDemo();
    await page.getByText('This conversation is about a fictional manufacturing company.').waitFor();
    await page.getByText('Nothing is stored on the server.').waitFor();
    for (const name of ['Sign in', 'Work on your own engagement']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.goBack();
    }
    const shownParts = await recordReplyTexts(page);

    const suggestion = page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first();
    const suggested = await suggestion.textContent();
    const sent = page.waitForResponse(routes.demoChat).then((response) => response.text());
    await suggestion.click();
    await finished();
    const reply = await renderedReply();

    const parts = await shownParts();
    expect(parts.length).to.be.greaterThan(1);
    // The first words can be shown before Markdown has loaded.
    const wholes = [reply, await sent];
    expect(parts.filter(({ text }) => !wholes.some((whole) => whole.startsWith(text)))).to.deep.equal([]);
    expect(parts[0]?.text.length).to.be.below(reply.length);
    expect(parts[0]?.canStop).to.equal(true);
    expect(reply).to.contain(`Your message was “${suggested}”, sent with no earlier messages.`);
    expect(await questions.allTextContents()).to.deep.equal([suggested]);
    expect(await stop.count()).to.equal(0);
  });

  it('offers to undo "New conversation" until the next question is sent', async () => {
    const { page, ask, started, finished, questions, renderedReply, replies, stop } = await visitDemo();
    await ask('Where do we stand?');
    await finished();
    await ask('And then? (please stall)');
    await started();
    await stop.click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await renderedReply();
    const texts = await replies.allTextContents();
    const create = page.getByRole('button', { name: 'New conversation' });
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await create.click();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    await undo.click();
    await replies.nth(1).waitFor();
    await page.locator('textarea:focus').waitFor();
    expect(await replies.allTextContents()).to.deep.equal(texts);

    await create.click();
    await undo.waitFor();
    await ask('What matters most?');
    await finished();
    await undo.waitFor({ state: 'detached' });
    await page.reload();
    await questions.waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['What matters most?']);
  });

  it('shows its introduction after "New conversation" in a conversation that was scrolled', async () => {
    const { page, ask, finished } = await visitDemo();
    await page.setViewportSize({ width: 1280, height: 700 });
    for (const question of ['Where do we stand?', 'And then?', 'What matters most?']) {
      await ask(question);
      await finished();
    }
    expect(await page.evaluate(() => window.scrollY)).to.be.greaterThan(200);
    await page.getByRole('button', { name: 'New conversation' }).click();
    const heading = page.getByRole('heading', { name: 'Try an advisory conversation' });
    await heading.waitFor();
    expect(await page.evaluate(() => window.scrollY)).to.equal(0);
    expect((await heading.boundingBox())?.y).to.be.greaterThan(0);
  });

  it('says that a reply is empty, or that the page was left if a navigation has cut the connection', async () => {
    const { page, ask } = await visitDemo();
    await page.route(routes.demoChat, (route) =>
      route.fulfill({ status: 200, contentType: 'text/plain; charset=utf-8', body: '\n\n' }),
    );
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

    const { page, composer, questions, stop } = await visitDemo();
    // This request is never answered.
    await page.route(routes.demoChat, () => {});
    await composer.fill('What matters most?');
    const box = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
    const center = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2] as const;
    await page.mouse.click(...center);
    await stop.waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.getByText('Thinking…').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['What matters most?']);
    expect(await stop.count()).to.equal(1);
  });
});
