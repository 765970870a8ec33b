import { expect } from 'chai';
import { describe, it } from 'mocha';
import { conversationPath, pages, routes } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { people } from './support/people.ts';
import { openSettings, visitDemo, visitLiveChat } from './support/sign-in.ts';
import { insertRows, keyPrefixOn, readTurns, rowsOf } from './support/stored-conversations.ts';
import { breakCode } from './support/visit.ts';

describe('Data on the device', () => {
  it('is shown except for unreadable records, which stay stored and do not block the others', async () => {
    const { page, questions, stop, askUntilStarted } = await visitLiveChat(people.onboarded);
    const name = await keyPrefixOn(page);
    const turns = inARow(turn('Where do we stand?'), turn('Which suppliers matter?'), turn('And then?'));
    const rows = rowsOf('one', turns);
    const unreadable = { conversation: 'one', id: 'Which suppliers matter?', order: 1, turn: { question: 5 } };
    const row = { id: 'one', title: 'Old one', lastActiveAt: 1000, shownId: 'And then?' };
    await insertRows(page, name, [row], [rows[0], unreadable, rows[2]]);

    await page.goto(conversationPath('one'));
    await questions.getByText('And then?').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?', 'And then?']);
    await askUntilStarted('please stall');
    await stop.click();
    await page.reload();
    await questions.getByText('please stall').waitFor();
    expect(await readTurns(page, name)).to.deep.include(unreadable);
  });

  it('stays in memory with a notice in every layout while it cannot be written, and is written afterwards', async () => {
    const { page, ask, questions, replies } = await visitLiveChat(people.onboarded);
    const fail = (name: string | null) => page.evaluate((name) => Object.assign(window, { failure: name }), name);
    await page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...row) {
        if ('failure' in window && typeof window.failure === 'string') throw new DOMException('', window.failure);
        return put.apply(this, row);
      };
    });
    await answerWith(page, 'In week 3.');
    const claim = page.getByText('Conversations are saved in this browser and by the service.');
    await claim.waitFor();
    const warning = (notice: string) => page.getByRole('main').getByText(notice);
    const outOfStorage = warning('This device is out of storage.');
    for (const [error, question, shown, download] of [
      ['UnknownError', 'Where do we stand?', warning('This browser isn’t saving conversations.'), 'Download…'],
      ['QuotaExceededError', 'And then?', outOfStorage, 'Download all'],
    ] as const) {
      await fail(error);
      await page.setViewportSize({ width: 1280, height: 800 });
      await ask(question);
      await shown.waitFor();
      await page.setViewportSize({ width: 390, height: 800 });
      await shown.waitFor();
      await page.getByRole('main').getByRole('button', { name: download }).waitFor();
    }
    await expectAccessible(page, 'a device that is out of storage');
    await page.setViewportSize({ width: 1280, height: 800 });
    const { create, entry } = listOn(page);
    await create.click();
    await questions.waitFor({ state: 'detached' });
    await outOfStorage.waitFor();
    await page.getByText('Conversations are saved by the service.').waitFor();
    expect(await claim.count()).to.equal(0);
    await entry('Where do we stand?').click();
    await replies.nth(1).getByText('In week 3.').waitFor();

    await fail(null);
    await ask('Why?');
    await replies.nth(2).getByText('In week 3.').waitFor();
    await outOfStorage.waitFor({ state: 'detached' });
    await page.reload();
    await questions.getByText('Why?').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?', 'And then?', 'Why?']);
    expect(await replies.allTextContents()).to.deep.equal(Array(3).fill('In week 3.'));

    await breakCode(page, /\/conversation-file-[^/]*\.js$/);
    await openSettings(page);
    const settings = page.getByRole('dialog', { name: 'Settings' });
    const file = { name: 'conversations.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
    await settings.locator('input[type="file"]').setInputFiles(file);
    await settings.getByText('It couldn’t be saved on this device. Reload the page and try again.').waitFor();
  });

  it('survives a crash mid-reply except for the last second, and a reload right after sending', async function () {
    needs(this, 'DevTools');

    const { page, ask, composer, replies } = await visitDemo();
    await ask('please stall');
    await replies.filter({ hasText: 'This is the' }).waitFor();
    await composer.fill('Half a thought');
    await page.waitForFunction(() =>
      ['This is the', 'Half a thought'].every((words) => JSON.stringify(localStorage).includes(words)),
    );
    const next = await page.context().newPage();
    const session = await page.context().newCDPSession(page);
    session.send('Page.crash').catch(() => {});
    await page.waitForEvent('crash');
    await next.goto(pages.demo);
    const later = conversationOn(next);
    await later.replies.filter({ hasText: 'This is the' }).waitFor();
    const interrupted = next.getByText('You left the page or signed out during the reply.');
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
