import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { recordReplyTexts } from './support/reply-texts.ts';
import { visitDemo } from './support/sign-in.ts';

describe('Demo chat', () => {
  it('introduces itself, streams a reply, sends the conversation with each question, and stores it until a new one is started, which can be undone', async () => {
    const { page, ask, started, finished, questions, replies, stop } = await visitDemo();
    await page.getByText('This conversation is about a fictional manufacturing company.').waitFor();
    await page.getByText('The engagement is fictional. Nothing is stored on the server.').waitFor();
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
    expect(reply).to.contain(`You asked: “${suggested}” No earlier messages came with it.`);
    expect(await questions.allTextContents()).to.deep.equal([suggested]);
    expect(await stop.count()).to.equal(0);

    const next = page.waitForRequest(routes.demoChat);
    await ask('And then? (please stall)');
    expect((await next).postDataJSON()).to.deep.equal({
      messages: [
        { role: 'user', content: suggested },
        { role: 'assistant', content: await sent },
        { role: 'user', content: 'And then? (please stall)' },
      ],
    });

    await started();
    await stop.click();
    const texts = await replies.allTextContents();

    await page.reload();
    await replies.nth(texts.length - 1).waitFor();
    expect(await replies.allTextContents()).to.deep.equal(texts);

    const create = page.getByRole('button', { name: 'New conversation' });
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await create.click();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    await undo.click();
    await replies.nth(texts.length - 1).waitFor();
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

  it('omits an empty reply from the next request, and sends once on a double click on Send without stopping the turn', async () => {
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
    const place = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2] as const;
    await page.mouse.click(...place);
    await stop.waitFor();
    await page.mouse.click(...place, { clickCount: 2 });
    await page.getByText('Thinking…').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?', 'And then?', 'What matters most?']);
    expect(await stop.count()).to.equal(1);
  });
});
