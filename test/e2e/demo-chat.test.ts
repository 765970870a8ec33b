import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages, routes } from '../../shared/interface.ts';
import { noteShownParts } from './support/shown-parts.ts';
import { visitDemo } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

describe('demo chat in the browser', () => {
  it('shows the reply to a suggested question word by word while it can be stopped, and then the whole of it', async () => {
    const { page, ask, finished, questions, stop } = await visitDemo();
    const shownParts = await noteShownParts(page);

    const suggestion = page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first();
    const suggested = await suggestion.textContent();
    const sent = page.waitForResponse(routes.demoChat).then((response) => response.text());
    await suggestion.click();
    const reply = await finished();

    const parts = await shownParts();
    expect(parts.length).to.be.greaterThan(10);
    // The first words may be there before what reads Markdown.
    const wholes = [reply, await sent];
    expect(parts.filter(({ text }) => !wholes.some((whole) => whole.startsWith(text)))).to.deep.equal([]);
    expect(parts.slice(0, 10).map(({ canStop }) => canStop)).not.to.include(false);
    expect(reply).to.contain(`You asked: “${suggested}” No earlier messages came with it.`);
    expect(await questions.allTextContents()).to.deep.equal([suggested]);
    expect(await stop.count()).to.equal(0);

    const next = page.waitForRequest(routes.demoChat);
    await ask('And then?');
    expect((await next).postDataJSON()).to.deep.equal({
      messages: [
        { role: 'user', content: suggested },
        { role: 'assistant', content: await sent },
        { role: 'user', content: 'And then?' },
      ],
    });
  });

  it('says that a reply of white space was empty, and leaves its turn out of the next request', async () => {
    const { page, ask, finished } = await visitDemo();
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
  });

  it('sends one question at a double click on Send, and does not stop its turn', async () => {
    const { page, composer, questions, stop } = await visitDemo();
    await page.route(routes.demoChat, () => {});
    await composer.fill('Where do we stand?');
    const box = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
    const place = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2] as const;
    await page.mouse.click(...place);
    await stop.waitFor();
    await page.mouse.click(...place, { clickCount: 2 });
    await page.getByText('Thinking…').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?']);
    expect(await stop.count()).to.equal(1);
  });

  it('says plainly what is fictional and what is stored, and has two ways to one’s own engagement', async () => {
    const page = await visit(pages.demo);
    await page.getByText('You are talking about a fictional manufacturing company.').waitFor();
    await page.getByText('The engagement is fictional. Nothing is stored on the server.').waitFor();
    for (const name of ['Sign in', 'Work on your own engagement']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.goBack();
    }
  });

  it('keeps the conversation over a reload, until a new one is begun, which can be undone until something is asked', async () => {
    const { page, ask, begun, finished, questions, replies, stop } = await visitDemo();
    await ask('Which hypothesis is the strongest? (please stall)');
    await begun();
    await stop.click();
    const reply = await replies.textContent();

    await page.reload();
    expect(await replies.textContent()).to.equal(reply);

    const create = page.getByRole('button', { name: 'New conversation' });
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await create.click();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    await undo.click();
    expect(await replies.textContent()).to.equal(reply);

    await create.click();
    await undo.waitFor();
    await ask('And then?');
    await finished();
    await undo.waitFor({ state: 'detached' });
    await page.reload();
    await questions.waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['And then?']);
  });
});
