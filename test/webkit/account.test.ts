import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { perTest } from '../support/per-suite.ts';
import { button, field, link } from '../support/webdriver.ts';
import { openWebKit } from '../support/webkit-process.ts';
import { ask, composer, exchange, questions, replies, stop, untilShown } from './support/conversation.ts';
import {
  openLiveChat,
  signIn,
  signOut,
  untilListed,
  untilNoReplyIsListed,
  untilReplyIsListed,
} from './support/live-chat.ts';
import { startProduct } from './support/product.ts';

describe('A user', () => {
  const product = perTest(() => startProduct());
  const page = perTest(() => openWebKit());

  it('signs in from the demo, describes the engagement and asks', async () => {
    await page.goto(product.url + pages.demo);
    await page.click(link('Sign in'));
    await signIn(page, 'blake@example.com');
    await page.type(field('Company name'), 'Example Castings');
    await page.type(field('Industry'), 'Metal casting');
    await page.type(field('Company size'), '120 people');
    await page.type(field('Your role'), 'Head of operations');
    await page.type(field('What the engagement is about'), 'Shorter lead times');
    await page.click(button('Add a hypothesis'));
    await page.type(field('Hypothesis 1'), 'Most of the lead time is waiting');
    await page.click(button('Start the engagement'));
    await page.waitFor(composer);
    await exchange(page, product, 'Where do we stand?', 'In week 1.');
    expect(new URL(await page.url()).pathname).to.match(/^\/c\/[\w-]+$/);
    expect(await replies(page)).to.deep.equal(['In week 1.']);
  });

  it('can keep or delete the conversations on this device when signing out', async () => {
    await openLiveChat(page, product);
    await exchange(page, product, 'Where do we stand?', 'In week 1.');
    await signOut(page);
    await page.click(button(/^Keep on this device/));
    await untilShown(page, 'Your conversations are still on this device.');
    await openLiveChat(page, product);
    await untilShown(page, 'In week 1.');

    await signOut(page);
    await page.click(button(/^Delete from this device/));
    await untilShown(page, 'Your conversations were deleted from this device.');
    await openLiveChat(page, product);
    await untilShown(page, 'Conversations that you start in this browser appear here.');
    expect(await questions(page)).to.deep.equal([]);
  });

  it('sees the same reply in two tabs, and sees it end in both when it is stopped in one', async () => {
    await openLiveChat(page, product);
    await exchange(page, product, 'Where do we stand?', 'In week 1.');
    const first = await page.currentTab();
    const address = await page.url();
    const second = await page.open('tab');
    await page.goto(address);
    await untilShown(page, 'In week 1.');

    await page.switchTo(first);
    const { say, ending } = product.nextReply();
    await ask(page, 'And then?');
    await say('Most of the lead time');
    await untilShown(page, 'Most of the lead time');
    await untilReplyIsListed(page);
    await page.switchTo(second);
    await untilShown(page, 'This reply is in progress in another tab.');
    await untilShown(page, 'Most of the lead time');

    await page.switchTo(first);
    await page.click(stop);
    await untilShown(page, 'Stopped');
    expect(await ending()).to.equal('disconnected');
    for (const tab of [first, second]) {
      await page.switchTo(tab);
      await untilShown(page, 'Stopped');
      await untilNoReplyIsListed(page);
      await untilListed(page, 'Where do we stand?');
    }
  });
});
