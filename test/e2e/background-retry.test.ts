import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages, routes } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { hideTab } from './support/hidden-tab.ts';
import { visit } from './support/visit.ts';

describe('the retry table in a tab in the background', () => {
  it('is kept to the second, whatever the browser does to the timers of the page', async () => {
    const page = await visit(pages.demo);
    const { ask, stop } = conversationOn(page);
    await hideTab(page);
    const sentAt: number[] = [];
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname === routes.demoChat) sentAt.push(request.timing().startTime);
    });

    await ask('please be overloaded');
    await page.getByText('(attempt 5 of 5)').waitFor();
    await stop.click();
    const gaps = sentAt.slice(1).map((moment, index) => moment - (sentAt[index] ?? 0));
    for (const [index, seconds] of [1, 2, 4].entries()) {
      expect(gaps[index], `wait ${index + 1}`).to.be.within(seconds * 1000, seconds * 1000 + 700);
    }
  });
});
