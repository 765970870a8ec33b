import { expect } from 'chai';
import { describe, it } from 'mocha';
import { inARow, turn } from '../client/chat/turns.ts';
import { openClipboard } from './support/clipboard.ts';
import { needs } from './support/engine.ts';
import { unknownPath } from './support/page-errors.ts';
import { people } from './support/people.ts';
import { topOf, untilRendered } from './support/rendering.ts';
import { visitLiveChat } from './support/sign-in.ts';
import { visitWithConversations } from './support/stored-conversations.ts';

describe('Questions of the user', () => {
  it('show their time, can be copied, and are linked from the page of an unknown path', async function () {
    needs(this, 'clipboard permissions');
    const { page, ask, finished, questions } = await visitLiveChat(people.onboarded);
    const readClipboard = await openClipboard(page);
    await ask('Where *do* we stand?');
    await finished();
    await questions.first().hover();
    const time = page.locator('.asked-at');
    expect(await time.textContent()).to.match(/^\d{1,2}:\d{2}/);
    expect(await time.getAttribute('title')).to.include(String(new Date().getFullYear()));
    await page.getByRole('button', { name: 'Copy question' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await readClipboard()).to.equal('Where *do* we stand?');

    await page.goto(unknownPath);
    await page.getByRole('link', { name: 'Go to your engagement' }).click();
    await questions.getByText('Where *do* we stand?').waitFor();
  });

  it('show the date where the day changes, and their own date unless it is today', async () => {
    const asked = ['2026-03-02T08:15:00Z', '2026-03-02T22:30:00Z', '2026-03-02T23:30:00Z', new Date().toISOString()];
    const turns = inARow(
      ...asked.map((at, index) => turn(`Question ${index}?`, 'A reply.', { askedAt: Date.parse(at) })),
    );
    const { page } = await visitWithConversations([{ title: 'Days', turns }], { timezoneId: 'Europe/Berlin' });
    const days = await page.locator('.turn').evaluateAll((turns) =>
      turns.map((turn) => {
        const { content } = getComputedStyle(turn, '::before');
        // Firefox computes no text from the attribute.
        return content === 'attr(data-day)' ? (turn as HTMLElement).dataset.day : content.replaceAll('"', '');
      }),
    );
    expect(days.slice(0, 3)).to.deep.equal(['Monday, March 2, 2026', 'none', 'Tuesday, March 3, 2026']);
    expect(days[3]).to.include(String(new Date().getFullYear()));
    const times = await page.locator('.asked-at').allTextContents();
    expect(times.map((time) => time.replaceAll('\u202f', ' ')).slice(0, 3)).to.deep.equal([
      'Mar 2, 2026, 9:15 AM',
      'Mar 2, 2026, 11:30 PM',
      'Mar 3, 2026, 12:30 AM',
    ]);
    expect(times[3]).to.match(/^\d{1,2}:\d{2}/);
  });

  it('are at the same distance from the top in a new conversation and in one that is opened again', async () => {
    const { page, ask, finished, questions } = await visitLiveChat(people.onboarded);
    const top = async () => Math.round(await topOf(questions.last()));
    for (const question of ['Where do we stand?', 'And what next?']) {
      await ask(question);
      await finished();
      const asked = await top();
      await page.reload();
      await questions.last().waitFor();
      await untilRendered(page);
      expect(await top()).to.be.closeTo(asked, 1);
    }
  });
});
