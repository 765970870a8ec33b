import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { TurnRow } from '../../client/device/conversation-store.ts';
import { pages } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { keepOn, prefixOn } from './support/kept-conversations.ts';
import { people } from './support/people.ts';
import { openLiveChat } from './support/sign-in.ts';
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
