import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { it } from 'mocha';
import { pages } from '../../../shared/interface.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { startProduct } from '../../webkit/support/product.ts';
import type { EvaluatingPage } from './package-page.ts';

/** `npm run test:stops` stops more replies, each after nine seconds. */
const count = Number(process.env.STOPS ?? 1);
const pieces = count === 1 ? 6 : 60;
const pauseMilliseconds = count === 1 ? 0 : 9000 / pieces;

/** Defines tests of how a page ends its requests, even after garbage collection. `open` opens a page in the engine under test. */
export function defineStopTests(open: () => Promise<EvaluatingPage>): void {
  const product = perSuite(() => startProduct());

  async function openDemo() {
    const page = await open();
    await page.goto(product.url + pages.demo);
    const until = (probe: () => boolean) => eventually(async () => (await page.evaluate(probe)) || undefined);
    await until(() => document.querySelector('textarea') !== null);
    async function ask() {
      const reply = product.nextReply();
      await page.evaluate(() => {
        const field = document.querySelector('textarea');
        field?.focus();
        document.execCommand('insertText', false, 'Where do we stand?');
      });
      await until(() => document.querySelector('textarea')?.value !== '');
      await page.evaluate(() => document.querySelector('textarea')?.form?.requestSubmit());
      return reply;
    }
    return { page, until, ask };
  }

  for (let number = 1; number <= count; number += 1) {
    it(`ends the request at the provider after garbage collection (${number} of ${count})`, async () => {
      const { page, until, ask } = await openDemo();
      const { ending, say } = await ask();
      for (let piece = 0; piece < pieces; piece += 1) {
        await say(`${piece} `);
        await page.evaluate(collectGarbage);
        await delay(pauseMilliseconds);
      }
      await until(() => document.body.innerText.includes('3 4'));
      await page.evaluate(() => document.querySelector<HTMLElement>('button[title^=Stop]')?.click());
      await until(() => document.body.innerText.includes('Stopped'));
      expect(await ending()).to.equal('disconnected');
    });
  }
}
