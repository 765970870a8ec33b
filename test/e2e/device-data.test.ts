import { expect } from 'chai';
import { describe, it } from 'mocha';
import { conversationAddress, pages, routes } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { visitDemo, visitLiveChat } from './support/sign-in.ts';
import { insertRows, keyPrefixOn, readTurns, rowsOf } from './support/stored-conversations.ts';

describe('Data on the device', () => {
  it('is shown except for unreadable records, which stay stored and do not block the others', async () => {
    const { page, ask, started, composer, questions, stop } = await visitLiveChat(people.onboarded);
    await composer.waitFor();
    const name = await keyPrefixOn(page);
    const turns = inARow(turn('Where do we stand?'), turn('Which suppliers matter?'), turn('And then?'));
    const rows = rowsOf('one', turns);
    const unreadable = { conversation: 'one', id: 'Which suppliers matter?', order: 1, turn: { question: 5 } };
    const row = { id: 'one', title: 'Old one', lastActiveAt: 1000, shownId: 'And then?' };
    await insertRows(page, name, [row], [rows[0], unreadable, rows[2]]);

    await page.goto(conversationAddress('one'));
    await questions.getByText('And then?').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?', 'And then?']);
    await ask('please stall');
    await started();
    await stop.click();
    await page.reload();
    await questions.getByText('please stall').waitFor();
    expect(await readTurns(page, name)).to.deep.include(unreadable);
  });

  it('stays in memory while storage is full, with a notice, and is written once there is space', async () => {
    const { page, ask, composer, questions, replies } = await visitLiveChat(people.onboarded);
    await composer.waitFor();
    const fill = (isFull: boolean) => page.evaluate((isFull) => Object.assign(window, { isFull }), isFull);
    await page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...row) {
        if ('isFull' in window && window.isFull) throw new DOMException('There is no room.', 'QuotaExceededError');
        return put.apply(this, row);
      };
    });
    await page.route(routes.liveChat, (route) =>
      route.fulfill({ contentType: 'text/plain; charset=utf-8', body: 'In week 3.' }),
    );
    await fill(true);
    await ask('Where do we stand?');
    await replies.getByText('In week 3.').waitFor();
    const { create, entry, list } = listOn(page);
    const full = list.getByText('This device is out of storage.');
    await full.waitFor();
    await list.getByRole('button', { name: 'Download all' }).waitFor();
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

  it('survives a crash mid-reply except for the last second, and a reload right after sending', async () => {
    const { page, ask, composer, replies } = await visitDemo();
    await ask('please stall');
    await replies.filter({ hasText: 'This is the' }).waitFor();
    await composer.fill('Half a thought');
    await page.waitForTimeout(1500);
    const next = await page.context().newPage();
    const session = await page.context().newCDPSession(page);
    session.send('Page.crash').catch(() => {});
    await page.waitForEvent('crash');
    await next.goto(pages.demo);
    const later = conversationOn(next);
    await later.replies.filter({ hasText: 'This is the' }).waitFor();
    const interrupted = next.getByText('The page was closed or reloaded before the reply was complete.');
    await interrupted.waitFor();
    expect(await later.composer.inputValue()).to.equal('Half a thought');

    await next.route(routes.demoChat, () => {});
    await later.ask('And then?');
    await later.questions.getByText('And then?').waitFor();
    await next.reload();
    await later.questions.getByText('And then?').waitFor();
    expect(await later.questions.allTextContents()).to.deep.equal(['please stall', 'And then?']);
    expect(await later.composer.inputValue()).to.equal('');

    await next.unroute(routes.demoChat);
    await later.tryAgain.click();
    await later.finished();
    expect(await later.questions.allTextContents()).to.deep.equal(['please stall', 'And then?']);
  });
});
