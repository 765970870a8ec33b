import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { trackLines } from '../e2e/support/line-tracker.ts';
import { eventually } from '../support/eventually.ts';
import { perSuite, perTest } from '../support/per-suite.ts';
import { button, field, keys, menuItem, type WebDriverSession } from '../support/webdriver.ts';
import { openWebKit } from '../support/webkit-process.ts';
import { composer, exchange, openDemo, questions, untilHidden, untilShown } from './support/conversation.ts';
import { choose, openLiveChat, untilListed } from './support/live-chat.ts';
import { startProduct } from './support/product.ts';

describe('Conversations', () => {
  const product = perTest(() => startProduct());
  const page = perTest(() => openWebKit());

  it('change with Back and Forward, and can be searched by their text, deleted and restored', async () => {
    await openLiveChat(page, product);
    await exchange(page, product, 'Where do we stand?', 'In week 1.');
    await page.click(button('New conversation'));
    await untilHidden(page, 'In week 1.');
    await exchange(page, product, 'Which suppliers matter?', 'Both of them.');
    const headings = () =>
      page.evaluate(() => [...document.querySelectorAll('nav h2')].map(({ textContent }) => textContent));
    await untilListed(page, 'Which suppliers matter?', 'Where do we stand?');
    expect(await headings()).to.deep.equal(['Today']);

    await page.back();
    await untilShown(page, 'In week 1.');
    expect(await questions(page)).to.deep.equal(['Where do we stand?']);
    await page.forward();
    await untilShown(page, 'Both of them.');
    expect(await questions(page)).to.deep.equal(['Which suppliers matter?']);

    await page.type(field(/^Search/), 'week 1');
    await untilShown(page, '1 conversation found.');
    await untilListed(page, 'Where do we stand?');
    await page.press(keys.control, 'a');
    await page.press(keys.backspace);
    await untilListed(page, 'Which suppliers matter?', 'Where do we stand?');
    await choose(page, 'Where do we stand?', 'Delete');
    await untilListed(page, 'Which suppliers matter?');
    await page.click(button(/^Undo/));
    await untilListed(page, 'Which suppliers matter?', 'Where do we stand?');
  });

  it('keep the reading position on Back', async () => {
    await openLiveChat(page, product);
    const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}.`);
    await exchange(page, product, 'Where do we stand?', paragraphs.join('\n\n'));
    await page.click(button('New conversation'));
    await untilHidden(page, 'Paragraph 59.');
    await exchange(page, product, 'Which suppliers matter?', 'Both of them.');
    await page.back();
    await untilShown(page, 'Paragraph 59.');
    const before = await page.evaluate(async () => {
      window.scrollBy({ top: 300 - window.scrollY, behavior: 'instant' });
      for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame);
      return document.querySelectorAll('article p')[20]?.getBoundingClientRect().top ?? Number.NaN;
    });
    await page.forward();
    await untilShown(page, 'Both of them.');
    await page.back();
    await untilShown(page, 'Paragraph 59.');
    await page.until((top) => {
      const paragraph = document.querySelectorAll('article p')[20];
      return paragraph && Math.abs(paragraph.getBoundingClientRect().top - top) <= 1;
    }, before);
  });

  it('can be downloaded, and imported on another device', async () => {
    await openLiveChat(page, product);
    await exchange(page, product, 'Where do we stand?', 'In week 1.');
    await page.click(button('Conversation actions'));
    await page.click(menuItem('Download…'));
    await page.evaluate(() => {
      window.addEventListener('resize', () => {
        document.documentElement.dataset.isResized = '';
      });
    });
    await page.click(button(/^JSON, to import/));
    const file = await eventually(async () => {
      const names = await readdir(page.downloads);
      return names.find((name) => name.endsWith('.json'));
    });
    // The browser shows the download below the page. The resize would close the menu.
    await page.until(() => document.documentElement.dataset.isResized === '');
    await choose(page, 'Where do we stand?', 'Delete');
    await untilHidden(page, 'In week 1.');

    await page.reload();
    await page.waitFor(composer);
    await page.click(button(/^Account:/));
    await page.click(menuItem('Settings'));
    await page.waitFor(button(/^Import a file/));
    await page.upload(join(page.downloads, file));
    await untilShown(page, '1 conversation was added.');
    await page.press(keys.escape);
    await untilListed(page, 'Where do we stand?');
  });
});

describe('A conversation of the demo', () => {
  const product = perSuite(() => startProduct());
  const page = perSuite(() => openWebKit());

  async function openTurns(count: number) {
    const paragraph = 'Most of the lead time is waiting for moulds and for the crane in the second hall. ';
    const turns = Array.from({ length: count }, (_, index) =>
      turn(`Question ${index}?`, `Reply **${index}**.\n\n${paragraph.repeat(1 + (index % 7))}\n\n- One\n- Two\n`),
    );
    await openDemo(page, product, turns);
    await page.until((count) => document.querySelectorAll('article strong').length === count, count);
  }

  it('scrolls by exactly the distance that the user scrolls, even above turns that were not laid out yet', async () => {
    await openTurns(40);
    await trackLines(page);
    const jumps = await page.evaluate(async () => {
      const rendered = async () => {
        for (let frames = 0; frames < 3; frames += 1) {
          await new Promise(requestAnimationFrame);
          await new Promise((done) => setTimeout(done));
        }
      };
      const found: number[] = [];
      for (let step = 0; step < 20 && window.scrollY > 400; step += 1) {
        await rendered();
        const [line] = window.findLines();
        if (line === undefined) continue;
        window.scrollBy({ top: -200, behavior: 'instant' });
        await rendered();
        const top = window.topOfLine(line);
        if (top !== undefined) found.push(Math.round(top - line.top - 200));
      }
      return found;
    });
    expect(jumps.length).to.be.at.least(10);
    expect(jumps.filter((pixels) => Math.abs(pixels) > 1)).to.deep.equal([]);
  });

  it('scrolls by exactly one page with Page Up and to the start with Home, although turns are laid out during the scroll', async () => {
    await openTurns(100);
    await page.evaluate(() => document.querySelector('textarea')?.blur());
    const topOfReply = (index: number) =>
      page.evaluate(
        (index) => document.querySelectorAll('article strong')[index]?.getBoundingClientRect().top ?? Number.NaN,
        index,
      );
    for (let press = 0; press < 3; press += 1) {
      const index = await page.evaluate(() =>
        [...document.querySelectorAll('article strong')].findIndex((reply) => reply.getBoundingClientRect().top > 100),
      );
      const before = await topOfReply(index);
      await page.press(keys.pageUp);
      await untilStill(page);
      // WebKit scrolls by 80 % of the window.
      const expected = 0.8 * (await page.evaluate(() => window.innerHeight));
      expect((await topOfReply(index)) - before, `press ${press}`).to.be.closeTo(expected, 2);
    }
    await page.press(keys.home);
    await untilStill(page);
    expect(await page.evaluate(() => window.scrollY)).to.equal(0);
  });

  it('keeps the reading position in the back/forward cache', async () => {
    const paragraphs = Array.from({ length: 100 }, (_, index) => `Paragraph ${index}.`);
    await openDemo(page, product, [turn('Where do we stand?', paragraphs.join('\n\n'))]);
    await page.until(() => document.querySelectorAll('article p').length === 100);
    await page.evaluate(() => {
      document.documentElement.dataset.isCached = '';
      window.scrollTo({ top: 2000, behavior: 'instant' });
    });
    await untilPainted(page);
    await page.goto(product.url + pages.signIn);
    await page.back();
    await page.until(() => document.documentElement.dataset.isCached === '');
    await untilPainted(page);
    expect(await page.evaluate(() => window.scrollY)).to.equal(2000);
  });

  it('keeps the first visible line in place when the device is rotated', async () => {
    const words = 'has some words that wrap on a phone, and some more of them that wrap in a wider window, too';
    const text = Array.from({ length: 60 }, (_, index) => `Paragraph ${index} ${words}.`);
    await openDemo(page, product, [turn('First?', text.join('\n\n')), turn('Second?', text.join('\n\n'))]);
    await page.resize({ width: 480, height: 850 });
    await page.until(() => document.querySelectorAll('article p').length === 120 && window.innerWidth < 500);
    await trackLines(page);
    await page.evaluate(() => window.scrollTo({ top: 2000, behavior: 'instant' }));
    await untilPainted(page);
    const line = await page.evaluate(() => [...window.findLines()][0]);
    await page.resize({ width: 850, height: 480 });
    await page.until(() => window.innerWidth > 800);
    await untilPainted(page);
    const top = await page.evaluate((line) => line && window.topOfLine(line), line);
    expect(top).to.be.closeTo(line?.top ?? Number.NaN, 1);
  });
});

/** Resolves once the page has stood still for longer than an animation of the browser pauses. */
function untilStill(page: WebDriverSession) {
  return page.evaluate(async () => {
    for (let [still, last] = [0, -1]; still < 30; ) {
      await new Promise(requestAnimationFrame);
      still = window.scrollY === last ? still + 1 : 0;
      last = window.scrollY;
    }
  });
}

function untilPainted(page: WebDriverSession) {
  return page.evaluate(async () => {
    for (let frames = 0; frames < 3; frames += 1) {
      await new Promise(requestAnimationFrame);
      await new Promise((done) => setTimeout(done));
    }
  });
}
