import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { recordReplyTexts } from './support/reply-texts.ts';
import { visitDemo } from './support/sign-in.ts';

/** Opens the demo with a complete reply and one that the visitor has stopped. */
async function visitWithTwoReplies() {
  const demo = await visitDemo();
  await demo.ask('Where do we stand?');
  await demo.finished();
  await demo.ask('And then? (please stall)');
  await demo.started();
  await demo.stop.click();
  await demo.page.getByText('You stopped the reply.').waitFor();
  return demo;
}

describe('Demo chat', () => {
  it('shows an introduction and streams a reply', async () => {
    const { page, finished, questions, stop } = await visitDemo();
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
    const reply = await finished();

    const parts = await shownParts();
    expect(parts.length).to.be.greaterThan(10);
    // The first words can be shown before Markdown has loaded.
    const wholes = [reply, await sent];
    expect(parts.filter(({ text }) => !wholes.some((whole) => whole.startsWith(text)))).to.deep.equal([]);
    expect(parts.slice(0, 10).map(({ canStop }) => canStop)).not.to.include(false);
    expect(reply).to.contain(`Your message was “${suggested}”, sent with no earlier messages.`);
    expect(await questions.allTextContents()).to.deep.equal([suggested]);
    expect(await stop.count()).to.equal(0);
  });

  it('sends the whole conversation with each question', async () => {
    const { page, ask, finished } = await visitDemo();
    const sent = page.waitForResponse(routes.demoChat).then((response) => response.text());
    await ask('Where do we stand?');
    await finished();

    const next = page.waitForRequest(routes.demoChat);
    await ask('And then?');
    expect((await next).postDataJSON()).to.deep.equal({
      messages: [
        { role: 'user', content: 'Where do we stand?' },
        { role: 'assistant', content: await sent },
        { role: 'user', content: 'And then?' },
      ],
    });
  });

  it('restores a complete and a stopped reply after a reload', async () => {
    const { page, replies } = await visitWithTwoReplies();
    const texts = await replies.allTextContents();
    expect(texts).to.have.length(2);
    await page.reload();
    await replies.nth(1).waitFor();
    expect(await replies.allTextContents()).to.deep.equal(texts);
  });

  it('offers to undo "New conversation" until the next question is sent', async () => {
    const { page, ask, finished, questions, replies } = await visitWithTwoReplies();
    const texts = await replies.allTextContents();
    const create = page.getByRole('button', { name: 'New conversation' });
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await create.click();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    await undo.click();
    await replies.nth(1).waitFor();
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

  it('omits an empty reply from the next request; a double click on Send sends one request and does not stop it', async () => {
    const { page, ask, composer, finished, questions, stop } = await visitDemo();
    const requested: unknown[] = [];
    await page.route(routes.demoChat, async (route) => {
      requested.push(route.request().postDataJSON());
      await route.fulfill({ status: 200, contentType: 'text/plain; charset=utf-8', body: '\n\n' });
    });
    await ask('Where do we stand?');
    await page.getByText('The reply was empty.').waitFor();
    await ask('And then?');
    await finished();
    expect(requested.at(-1)).to.deep.equal({ messages: [{ role: 'user', content: 'And then?' }] });

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
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?', 'And then?', 'What matters most?']);
    expect(await stop.count()).to.equal(1);
  });
});
