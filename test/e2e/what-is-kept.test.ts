import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { TurnRow } from '../../client/device/conversation-store.ts';
import { pages, routes } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { keepOn, prefixOn } from './support/kept-conversations.ts';
import { people } from './support/people.ts';
import { accountOn, openLiveChat } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

describe('what the device keeps, in the browser', () => {
  it('is all shown although values of the release before are damaged, and what cannot be read locks nothing', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    const prefix = await prefixOn(page);
    await conversationOn(page).composer.waitFor();
    await page.evaluate((prefix) => {
      const turn = (question: string) => ({
        requestId: question,
        question,
        reply: 'Week 3.',
        ending: { type: 'done' },
      });
      const index = [{ id: 'one', title: 'Old one', lastActiveAt: 1e300 }, { id: 2 }];
      localStorage.setItem(`${prefix}:index`, JSON.stringify(index));
      const record = { turns: [turn('Where do we stand?'), { question: 5 }, turn('And then?')] };
      localStorage.setItem(`${prefix}:conversation:one`, JSON.stringify(record));
      localStorage.setItem(`${prefix}:conversation:two`, JSON.stringify({ turns: [turn('Which suppliers matter?')] }));
      localStorage.setItem(`${prefix}:conversation:three`, '{"turns":[');
    }, prefix);

    for (const visitNumber of [1, 2]) {
      await page.reload();
      const list = page.getByRole('navigation', { name: 'Conversations' });
      await list.getByRole('link', { name: 'Which suppliers matter?' }).waitFor();
      await list.getByRole('link', { name: 'Old one' }).click();
      const { questions } = conversationOn(page);
      await questions.getByText('And then?').waitFor();
      expect(await questions.allTextContents(), `visit ${visitNumber}`).to.deep.equal([
        'Where do we stand?',
        'And then?',
      ]);
    }
    const left = await page.evaluate(
      (prefix) => Object.keys(localStorage).filter((key) => key.startsWith(prefix)),
      prefix,
    );
    expect(left).to.deep.equal([]);

    const said = turn('Of no time?');
    const conversation = { id: 'four', title: 'Of no time', lastActiveAt: 1e300, shownId: said.id };
    await keepOn(page, [conversation], [{ conversation: 'four', id: said.id, order: 0, turn: said }]);
    await page.reload();
    await page.getByRole('link', { name: 'Of no time' }).waitFor();
    await accountOn(page).click();
    await page.getByRole('button', { name: 'Settings' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download what is damaged' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8'))
      .to.contain('{"turns":[')
      .and.contain('5');
  });

  it('is all still there while the device is full, which the page says, and is written once there is room', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    const { ask, composer, questions, replies } = conversationOn(page);
    await composer.waitFor();
    const fill = (isFull: boolean) => page.evaluate((isFull) => Object.assign(window, { isFull }), isFull);
    await page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...row) {
        if ('isFull' in window && window.isFull) throw new DOMException('There is no room.', 'QuotaExceededError');
        return put.apply(this, row);
      };
    });
    await page.route(routes.liveChat, (route) => route.fulfill({ body: 'In week 3.' }));
    await fill(true);
    await ask('Where do we stand?');
    await replies.getByText('In week 3.').waitFor();
    const { create, entry, list } = listOn(page);
    const full = list.getByText('This device has no room left.');
    await full.waitFor();
    await list.getByRole('button', { name: 'Download all', exact: true }).waitFor();
    await expectAccessible(page, 'a device without room');
    await page.setViewportSize({ width: 1280, height: 800 });
    await create.click();
    await questions.waitFor({ state: 'detached' });
    await entry('Where do we stand?').click();
    await replies.getByText('In week 3.').waitFor();

    await fill(false);
    await ask('And then?');
    await full.waitFor({ state: 'detached' });
    await page.reload();
    await questions.getByText('And then?').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?', 'And then?']);
    expect(await replies.allTextContents()).to.deep.equal(['In week 3.', 'In week 3.']);
  });

  it('has room for many times what the release before had, and loses nothing of it', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    await conversationOn(page).composer.waitFor();
    const ids = Array.from({ length: 100 }, (_, index) => `long-${index}`);
    const conversations = ids.map((id, index) => ({
      id,
      title: `Long ${index}`,
      lastActiveAt: index,
      shownId: 'Question 1',
    }));
    const said = inARow(...[0, 1].map((index) => turn(`Question ${index}`, 'word '.repeat(20_000))));
    const turns = ids.flatMap((conversation) =>
      said.map((turn, order): TurnRow => ({ conversation, id: turn.id, order, turn })),
    );
    await keepOn(page, conversations, turns);
    await page.reload();
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('link', { name: 'Long 0' }).click();
    const { ask, begun, questions, stop } = conversationOn(page);
    await questions.getByText('Question 0').waitFor();
    await ask('please stall');
    await begun();
    await stop.click();
    await page.reload();
    await questions.getByText('please stall').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Question 0', 'Question 1', 'please stall']);
    await list.getByRole('link', { name: 'Long 99' }).waitFor();
  });

  it('is nothing where the browser denies databases, and the chat goes on all the same', async () => {
    const page = await visit(pages.signIn);
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('Denied.', 'SecurityError');
      };
    });
    await page.goto(pages.demo);
    const { ask, begun, stop, questions } = conversationOn(page);
    await ask('please stall');
    await begun();
    await stop.click();
    expect(await questions.allTextContents()).to.deep.equal(['please stall']);
    await page.reload();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
  });
});
