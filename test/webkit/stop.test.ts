import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { collectHeap } from '../support/collect-heap.ts';
import { perSuite, perTest } from '../support/per-suite.ts';
import { startWebKit } from '../support/webkit-process.ts';
import { ask, shown, stop } from './support/conversation.ts';
import { startProduct } from './support/product.ts';

/** `npm run test:stops` stops more replies, each after nine seconds. */
const count = Number(process.env.STOPS ?? 1);
const pieces = 60;
const pauseMilliseconds = count === 1 ? 0 : 9000 / pieces;

describe('Stop', () => {
  const product = perSuite(() => startProduct());
  const webKit = perSuite(() => startWebKit());
  const page = perTest(() => webKit.open());

  for (let number = 1; number <= count; number += 1) {
    it(`ends the request at the provider after the heap has been collected (${number} of ${count})`, async () => {
      await page.goto(product.url + pages.demo);
      const { ending, say } = product.nextReply();
      await ask(page, 'Where do we stand?');
      for (let piece = 0; piece < pieces; piece += 1) {
        await say(`${piece} `);
        await page.evaluate(collectHeap);
        await delay(pauseMilliseconds);
      }
      await shown(page, '57 58');
      await page.click(stop);
      await shown(page, 'You stopped the reply.');
      expect(await ending()).to.equal('disconnected');
    });
  }
});
