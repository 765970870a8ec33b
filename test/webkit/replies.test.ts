import { expect } from 'chai';
import { describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { button, keys } from '../support/webdriver.ts';
import { openWebKit } from '../support/webkit-process.ts';
import {
  ask,
  draft,
  exchange,
  openDemo,
  questions,
  replies,
  stop,
  untilAnnounced,
  untilHidden,
  untilShown,
} from './support/conversation.ts';
import { startProduct } from './support/product.ts';

describe('A reply', () => {
  const product = perSuite(() => startProduct());
  const page = perSuite(() => openWebKit());

  async function startReply() {
    await openDemo(page, product);
    const reply = product.nextReply();
    await ask(page, 'Where do we stand?');
    await reply.say('Most of the lead time');
    await untilShown(page, 'Most of the lead time');
    return reply;
  }

  it('is shown while it is streamed', async () => {
    const { say, end } = await startReply();
    await say(' is **waiting**.');
    await untilShown(page, 'is waiting.');
    await page.waitFor(stop);
    await end();
    await untilAnnounced(page, 'Reply finished');
    expect(await replies(page)).to.deep.equal(['Most of the lead time is waiting.']);
  });

  it('can be continued after a failure', async () => {
    const { cut } = await startReply();
    await cut();
    product.replyWith(' is waiting.');
    await page.click(button('Continue'));
    await untilAnnounced(page, 'Reply finished');
    expect((await replies(page)).join('')).to.equal('Most of the lead time is waiting.');
  });

  it('keeps the text that has arrived if the page is reloaded, and is aborted at the provider', async () => {
    const { ending } = await startReply();
    await page.reload();
    await untilShown(page, 'You left the page or signed out during the reply.');
    expect(await replies(page)).to.deep.equal(['Most of the lead time']);
    expect(await ending()).to.equal('disconnected');
  });

  it('can be requested again, and belongs to one version of its question; all versions can be shown', async () => {
    await openDemo(page, product);
    await exchange(page, product, 'Where do we stand?', 'In week 3.');
    product.replyWith('In week 4.');
    await page.click(button('Try again'));
    await untilShown(page, 'In week 4.');
    await untilAnnounced(page, 'Reply: version 2 of 2');
    await page.click(button('Previous version of this reply'));
    await untilShown(page, 'In week 3.');
    expect(await replies(page)).to.deep.equal(['In week 3.']);

    product.replyWith('In week 5.');
    await page.click(button('Edit question'));
    await untilShown(page, 'You’re editing a question.');
    expect(await draft(page)).to.equal('Where do we stand?');
    await page.press(keys.control, 'a');
    await ask(page, 'Where are we?');
    await untilShown(page, 'In week 5.');
    expect(await questions(page)).to.deep.equal(['Where are we?']);
    await page.click(button('Previous version of this question'));
    await untilShown(page, 'In week 3.');
    expect(await questions(page)).to.deep.equal(['Where do we stand?']);
    await untilHidden(page, 'In week 5.');
  });
});
