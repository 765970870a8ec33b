import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { perSuite, perTest } from '../support/per-suite.ts';
import { startWebKit } from '../support/webkit-process.ts';
import { announced, ask, lastReply, shown, stop } from './support/conversation.ts';
import { startProduct } from './support/product.ts';

describe('A reply', () => {
  const product = perSuite(() => startProduct());
  const webKit = perSuite(() => startWebKit());
  const page = perTest(() => webKit.open());

  it('is shown while it is streamed', async () => {
    await page.goto(product.url + pages.demo);
    const { say, end } = product.nextReply();
    await ask(page, 'Where do we stand?');
    await say('Most of the lead time');
    await shown(page, 'Most of the lead time');
    await say(' is **waiting**.');
    await shown(page, 'is waiting.');
    await end();
    await announced(page, 'Reply finished');
    expect(await lastReply(page)).to.include('Most of the lead time is waiting.');
  });

  it('ends at the provider when the user stops it', async () => {
    await page.goto(product.url + pages.demo);
    const { say, sent } = product.nextReply();
    await ask(page, 'Where do we stand?');
    await say('Most of the lead time');
    await shown(page, 'Most of the lead time');
    for (let n = 0; n < 60; n += 1) {
      await page.evaluate(() => {
        let kept: unknown[] = [];
        for (let n = 0; n < 40; n += 1) kept = [new Array(100_000).fill({}), kept.length];
        return kept.length;
      });
      await say(` ${n}`);
    }
    await page.click(stop);
    await shown(page, 'You stopped the reply.');
    expect(await (await sent).ended).to.equal('disconnected');
  });
});
