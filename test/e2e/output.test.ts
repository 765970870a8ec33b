import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { pages, routes } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { openClipboard } from './support/clipboard.ts';
import { drawn } from './support/drawn.ts';
import { visitWith } from './support/kept-conversations.ts';
import { visit } from './support/visit.ts';

const phone = { width: 320, height: 700 };

const word = 'https://files.example/'.padEnd(400, 'reports');
const table = [
  '| Plant | What is done about it | Cost | Where it is |',
  '|---|---|--:|---|',
  '| North | Castings are moved at once, whatever the order of the day | 1,200 | First hall on the left |',
  `| South | ${word} | 900 | Second hall |`,
  '| =1+1 | Nothing | 1,500 | Third hall |',
].join('\n');

const wide = [
  '| Plant | Owner | What is done | Cost | Risk | Where | Days | Next step | Who helps | Note | Share | Address |',
  `|${'---|'.repeat(12)}`,
  '| North | Team of Ms Weber | Move castings at once | 1,200 | Not a high one | First hall, left | 12 | Ask the smelter | Both shift leads | To be seen soon | 12 % | x |',
  `| South | Team of Mr Brandt | Mend the old crane | 900 | Rather high now | Second hall | 3 | Order the parts | No one so far | Done by next May | 5 % | ${'reports'.repeat(13).slice(0, 90)} |`,
].join('\n');
const fewColumns =
  '| Plant | Owner | Where | Risk |\n|-|-|-|-|\n| North | Ms Weber and team | First hall, left | Not a high one |';

const weeks = [
  '| Week | Lead time |',
  '|---|--:|',
  ...Array.from({ length: 9 }, (_, index) => `| Week ${index + 1} of ours | ${12.5 - index} |`),
].join('\n');

const costs = '| Plant | Cost |\n|---|--:|\n| North | 1,200 |\n| South | 900 |\n| =1+1 | 1,500 |';

const mixed = [
  '| Plant | Share | Orders | Items | Cost |',
  '|---|--:|--:|--:|--:|',
  '| North | 45 % | 1,200 | 14,800 | $950k |',
  '| South | 55 % | 800 | 9,300 | $1.1M |',
].join('\n');

const shownAs = (page: Page, element: Locator) => element.waitFor().then(() => drawn(page));

/** What is on the clipboard as HTML. */
const clipboardHtml = (page: Page) =>
  page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return (await item?.getType('text/html'))?.text();
  });

async function savedBy(page: Page, button: Locator): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** How many words are on a line of a cell, on average. */
const wordsInLine = (cell: Element) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
  return (cell.textContent ?? '').split(' ').length / lines.size;
};

describe('what a reply is good for elsewhere', () => {
  it('is copied: its code alone, and formatted and as Markdown at once the reply and the whole conversation', async () => {
    const reply = 'Run **this** [now](https://a.example).\n\n```sh\nnpm ci\n\nnpm start\n```';
    const page = await visitWith([turn('Where do we stand?', reply)]);
    const clipboard = await openClipboard(page);
    const copied = page.getByRole('button', { name: 'Copied' });
    await page.getByRole('button', { name: 'Copy code' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Copied$/ })
      .waitFor({ state: 'attached' });
    await copied.waitFor();
    expect(await clipboard()).to.equal('npm ci\n\nnpm start');
    await page.getByRole('button', { name: 'Copy code' }).waitFor();

    await page.getByRole('button', { name: 'Copy reply' }).click();
    await copied.waitFor();
    expect(await clipboard()).to.equal(reply);
    expect(await clipboardHtml(page)).to.include('Run <strong>this</strong> <a href="https://a.example/">now</a>.');

    const menu = page.getByRole('banner').getByRole('button', { name: 'This conversation' });
    await menu.click();
    await page.getByRole('button', { name: 'Copy the conversation' }).click();
    await page.getByRole('banner').getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard()).to.match(/^# Where do we stand\?\n\n\w+ \d+, \d{4}\n\n## You\n\n/);
    expect(await clipboardHtml(page)).to.match(/<h1>Where do we stand\?<\/h1>.*<h2>You<\/h2>/s);

    const download = page.getByRole('button', { name: 'Download the conversation' });
    await download.waitFor({ state: 'hidden' });
    await menu.click();
    const saved = await savedBy(page, download);
    expect(saved.name).to.equal('Where do we stand.md');
    expect(saved.text).to.match(/^# Where do we stand\?\n/);

    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.getByRole('button', { name: 'Copy reply' }).click();
    await page.getByRole('status').filter({ hasText: 'Select the text to copy it yourself.' }).waitFor();
  });

  it('is a table for a spreadsheet', async () => {
    const page = await visitWith([turn('Which plants?', table)]);
    const clipboard = await openClipboard(page);
    await page.getByRole('button', { name: 'Copy table' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect((await clipboard()).split('\n').map((line) => line.split('\t')[2])).to.deep.equal([
      'Cost',
      '1,200',
      '900',
      '1,500',
    ]);
    expect(await clipboardHtml(page))
      .to.include('<td>1,200</td>')
      .and.match(/<td>(?:'|&#39;)=1\+1<\/td>/);
    const saved = await savedBy(page, page.getByRole('button', { name: 'Download CSV' }));
    expect(saved.name).to.equal('table.csv');
    expect(saved.text.split('\r\n').at(3)).to.equal('\'=1+1,Nothing,"1,500",Third hall');
  });

  it('is a chart of the numbers of a table, told in words and drawn under the policy of the page', async () => {
    const page = await visitWith([turn('Which plants?', costs)]);
    await page.getByRole('button', { name: 'Show chart' }).click();
    const chart = page.getByRole('img', {
      name: /^Bar chart of Cost, from North to =1\+1\. Lowest: 900 \(South\)\. Highest: 1,500/,
    });
    const widths = await chart
      .locator('.chart-bar')
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    const [first = 0] = widths;
    expect(widths.map((width) => Math.round((1200 * width) / first))).to.deep.equal([1200, 900, 1500]);
    await expectAccessible(page, 'a table with its chart');
    await page.getByRole('button', { name: 'Hide chart' }).click();
    await chart.waitFor({ state: 'detached' });
  });

  it('is a line chart of steps in time, none of whose labels is cut off', async () => {
    const page = await visitWith([turn('How long?', weeks)]);
    await page.setViewportSize(phone);
    await page.getByRole('button', { name: 'Show chart' }).click();
    const chart = page.getByRole('img', { name: /^Line chart of Lead time, from Week 1 of ours to Week 9 of ours/ });
    expect(await chart.locator('.chart-point').count()).to.equal(9);
    const cutOff = await chart.evaluate((drawing) => {
      const box = drawing.getBoundingClientRect();
      const isWhole = (label: Element) => {
        const range = document.createRange();
        range.selectNodeContents(label);
        const { left, right, bottom } = range.getBoundingClientRect();
        const isNumber = label.matches('.chart-axis span');
        return (
          left >= box.left && right <= box.right && (isNumber || bottom <= label.getBoundingClientRect().bottom + 1)
        );
      };
      return Array.from(drawing.querySelectorAll('.chart-labels span, .chart-axis span'))
        .filter((label) => label.getClientRects().length > 0 && !isWhole(label))
        .map((label) => label.textContent);
    });
    expect(cutOff).to.deep.equal([]);
  });

  it('is a chart for each unit of the columns that the person chooses', async () => {
    const page = await visitWith([turn('Which plants?', mixed)]);
    await page.getByRole('button', { name: 'Show chart' }).click();
    const columns = page.getByRole('group', { name: 'Columns' });
    const charts = page.getByRole('img', { name: /^Bar chart of/ });
    const ticksOf = (chart: Locator) => chart.locator('.chart-axis span').allTextContents();
    const shown = (name: string) => page.getByRole('img', { name: `Bar chart of ${name}, from` });
    await shown('Share').waitFor();
    expect(await charts.count()).to.equal(1);
    await columns.getByLabel('Cost').check();
    expect(await ticksOf(shown('Cost'))).to.deep.equal(['$0', '$500K', '$1M', '$1.5M']);
    await columns.getByLabel('Orders').check();
    await columns.getByLabel('Items').check();
    await shown('Orders and Items').waitFor();
    await columns.getByLabel('Share').uncheck();
    await shown('Share').waitFor({ state: 'detached' });
    expect(await charts.count()).to.equal(2);
    await expectAccessible(page, 'charts of chosen columns');
  });

  it('prints as a document: its title and day, who said what, whole tables, addresses, and nothing of the window', async () => {
    const page = await visitWith([
      turn('Where do we stand?', `See [the report](https://a.example/r) or https://a.example/.\n\n${wide}`),
    ]);
    await shownAs(page, page.getByRole('table'));
    // As wide as paper.
    await page.setViewportSize({ width: 794, height: 1123 });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.getByText(/^\w+ \d+, \d{4}$/).waitFor();
    await page.locator('.print-title', { hasText: 'Where do we stand?' }).waitFor();
    expect(await page.getByRole('button').count()).to.equal(0);
    expect(await page.getByRole('textbox').count()).to.equal(0);
    const printed = await page.evaluate(() => {
      const links = Array.from(document.querySelectorAll('.markdown a'));
      const left = (part: string) => document.querySelector(part)?.getBoundingClientRect().left;
      const reply = document.querySelector('.reply');
      const box = document.querySelector('.scroll-box');
      return {
        addresses: links.map((link) => getComputedStyle(link, '::after').content),
        isTitleInset: left('.print-title') !== left('.question'),
        hit: getComputedStyle(document.body, '::highlight(hits)').backgroundColor,
        speaker: reply && getComputedStyle(reply, '::before').content,
        isCut: box === null || box.scrollWidth > box.clientWidth,
        paper: getComputedStyle(document.body).backgroundColor,
      };
    });
    expect(printed).to.deep.equal({
      addresses: ['" <https://a.example/r>"', 'none'],
      isTitleInset: false,
      hit: 'rgba(0, 0, 0, 0)',
      speaker: '"Assistant"',
      isCut: false,
      paper: 'rgb(255, 255, 255)',
    });
  });
});

describe('a table in the window', () => {
  it('shows on which side there is more, until its end is in view, from either side', async () => {
    const page = await visitWith([
      turn(
        'Which plants?',
        `${table}\n\n| אלף | בית | גימל | דלת |\n|-|-|-|-|\n| ${'שלום '.repeat(9)} | ${'שלום '.repeat(9)} | ${'שלום '.repeat(9)} | א |`,
      ),
    ]);
    await page.setViewportSize(phone);
    for (const box of await page.getByRole('group', { name: 'Table' }).all()) {
      const more = (side: string) => box.and(page.locator(`[data-more-${side}]`));
      await more('end').waitFor();
      expect(await more('start').count()).to.equal(0);
      await box.focus();
      await box.evaluate((element) => {
        const toEnd = getComputedStyle(element).direction === 'rtl' ? -1 : 1;
        element.scrollLeft = toEnd * element.scrollWidth;
      });
      await more('start').waitFor();
      await more('end').waitFor({ state: 'detached' });
    }
  });

  const days = ['| Step | Begins | Cost |', '|---|---|--:|'].concat(
    Array.from({ length: 60 }, (_, index) => `| Step ${index + 1} | 2025-01-10 | ${index * 100} € |`),
  );

  for (const [kind, reply] of [
    ['fits', days.join('\n')],
    [
      'scrolls sideways',
      [wide.split('\n').slice(0, 2), Array.from({ length: 40 }, () => wide.split('\n')[2])].flat().join('\n'),
    ],
  ] as const) {
    for (const width of [390, 1280]) {
      it(`that ${kind} has its head right below that of the page while it goes by, ${width} pixels wide`, async () => {
        const page = await visitWith([turn('Which plants?', `${'A line.\n\n'.repeat(9)}${reply}\n\nThe end.`)]);
        await page.setViewportSize({ width, height: 700 });
        await shownAs(page, page.getByRole('table'));
        const gaps = await page.evaluate(async () => {
          const head = document.querySelector('th');
          const table = document.querySelector('table');
          const header = document.querySelector('header');
          const edges = [];
          for (const rows of [3, 20]) {
            window.scrollTo(0, 0);
            const { bottom = 0 } = header?.getBoundingClientRect() ?? {};
            window.scrollTo(0, (table?.rows[rows]?.getBoundingClientRect().top ?? 0) - bottom);
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            edges.push((head?.getBoundingClientRect().top ?? 0) - (header?.getBoundingClientRect().bottom ?? 0));
          }
          return edges;
        });
        for (const gap of gaps) expect(gap).to.be.within(-1, 1);
      });
    }
  }

  it('leaves dates and numbers whole, and takes the room beside the text', async () => {
    const page = await visitWith([
      turn(
        'When?',
        `${wide}\n\n| What is done | Begins and ends |\n|-|-|\n| A | From 2025-01-10 to 2025-02-28, no later |`,
      ),
    ]);
    await shownAs(page, page.getByRole('cell', { name: 'Ask the smelter' }));
    const { box, text } = await page.evaluate(() => {
      const right = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().right ?? 0;
      return { box: right('.scroll-box'), text: right('.turn-actions') };
    });
    expect(box).to.be.greaterThan(text + 100);
    await page.setViewportSize(phone);
    const lines = await page
      .locator('.unbroken', { hasText: /2025/ })
      .evaluateAll((dates) => dates.map((date) => date.getClientRects().length));
    expect(lines).to.deep.equal([1, 1]);
  });

  it('begins where the text does, in a page of the other direction too', async () => {
    const page = await visit(pages.demo, undefined, { locale: 'ar' });
    const body = 'When it is done.\n\n| Step | Days |\n|--|--:|\n| Casting | 3 |';
    await page.route(routes.demoChat, (route) => route.fulfill({ contentType: 'text/plain; charset=utf-8', body }));
    const field = page.getByRole('textbox');
    await field.fill('When?');
    await field.press('Enter');
    await page.locator('.table-actions').waitFor();
    const left = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().left);
    expect(await left('.reply table')).to.be.closeTo(await left('.reply p'), 1);
  });

  it('begins on the right in Arabic, with its tools, and no sign or bracket changes its side', async () => {
    const cells = ['-5%', '+3', '-$40', '−1.8%', '(12)', '10–12'];
    const rows = cells.map((cell) => `| الشمال | ${cell} |`).join('\n');
    const page = await visitWith([turn('Which plants?', `| المصنع | التغير |\n|-|-|\n${rows}`)]);
    await shownAs(page, page.getByRole('cell', { name: '(12)' }));
    const drawnCells = await page.locator('td:nth-child(2)').evaluateAll((drawn) =>
      drawn.map((cell) => {
        const text = cell.firstChild;
        if (!(text instanceof Text)) return '';
        const range = document.createRange();
        const letters = Array.from(text.data, (letter, index) => {
          range.setStart(text, index);
          range.setEnd(text, index + 1);
          return { letter, left: range.getBoundingClientRect().left };
        });
        return letters
          .sort((one, other) => one.left - other.left)
          .map(({ letter }) => letter)
          .join('');
      }),
    );
    expect(drawnCells).to.deep.equal(cells);
    const rights = await page.evaluate(() =>
      ['table', 'td', '.table-actions'].map((part) => document.querySelector(part)?.getBoundingClientRect().right ?? 0),
    );
    expect(rights[1]).to.be.closeTo(rights[0] ?? 0, 1);
    expect(rights[2]).to.be.closeTo(rights[0] ?? 0, 12);
    const tools = page.locator('.table-actions');
    const copy = await page.getByRole('button', { name: 'Copy table' }).boundingBox();
    const box = await tools.boundingBox();
    expect((copy?.x ?? 0) + (copy?.width ?? 0)).to.be.closeTo((box?.x ?? 0) + (box?.width ?? 0), 1);
  });

  it('breaks one long word, and leaves the other columns their lines', async () => {
    const page = await visitWith([turn('Which plants?', table)]);
    await page.setViewportSize(phone);
    const cell = page.getByRole('cell', { name: 'Castings are moved at once' });
    await shownAs(page, cell);
    expect(await cell.evaluate(wordsInLine)).to.be.at.least(2);
    expect(
      await page.getByRole('cell', { name: 'Second hall' }).evaluate((element) => element.clientWidth),
    ).to.be.at.least(64);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(phone.width);
  });
});

describe('a table that scrolls in any case', () => {
  for (const width of [390, 1280, 1920]) {
    it(`has several words on a line, and little room for numbers, ${width} pixels wide`, async () => {
      const page = await visitWith([turn('Which plants?', wide)]);
      await page.setViewportSize({ width, height: 844 });
      await shownAs(page, page.getByRole('cell', { name: 'Ask the smelter' }));
      for (const name of ['Team of Mr Brandt', 'Move castings at once', 'First hall, left', 'To be seen soon']) {
        expect(await page.getByRole('cell', { name }).evaluate(wordsInLine), name).to.be.at.least(2);
      }
      const number = page.getByRole('cell', { name: '1,200' });
      expect(await number.evaluate((cell) => cell.clientWidth)).to.be.at.most(72);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(width);
    });
  }

  it('is none where the words of a few columns fit on a phone', async () => {
    const page = await visitWith([turn('Which plants?', fewColumns)]);
    await page.setViewportSize({ width: 390, height: 844 });
    const box = page.getByRole('group', { name: 'Table' });
    await shownAs(page, box);
    expect(await box.evaluate((element) => element.scrollWidth - element.clientWidth)).to.equal(0);
  });
});
