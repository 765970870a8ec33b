import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { pages, routes } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { needs } from './support/engine.ts';
import { untilRendered } from './support/rendering.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';
import { wideTable } from './support/wide-table.ts';

const phone = { width: 320, height: 700 };

const word = 'https://files.example/'.padEnd(400, 'reports');
const table = [
  '| Plant | What is done about it | Cost | Where it is |',
  '|---|---|--:|---|',
  '| North | Castings are moved at once, whatever the order of the day | 1,200 | First hall on the left |',
  `| South | ${word} | 900 | Second hall |`,
  '| =1+1 | Nothing | 1,500 | Third hall |',
].join('\n');

const fewColumns =
  '| Plant | Owner | Where | Risk |\n|-|-|-|-|\n| North | Ms Weber and team | First hall, left | Not a high one |';

const hebrew = `| אלף | בית | גימל | דלת |\n|-|-|-|-|\n| ${'שלום '.repeat(9)} | ${'שלום '.repeat(9)} | ${'שלום '.repeat(9)} | א |`;

const days = ['| Step | Begins | Cost |', '|---|---|--:|'].concat(
  Array.from({ length: 60 }, (_, index) => `| Step ${index + 1} | 2025-01-10 | ${index * 100} € |`),
);

const shownAs = (page: Page, element: Locator) => element.waitFor().then(() => untilRendered(page));

async function expectStickyHead(rows: readonly string[]): Promise<void> {
  const page = await visitDemoWithTurns([
    turn('Which plants?', `${'A line.\n\n'.repeat(9)}${rows.join('\n')}\n\nThe end.`),
  ]);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    await shownAs(page, page.getByRole('table'));
    const { edges, isOpaque } = await page.evaluate(async () => {
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
      const colorOf = (part: Element | null | undefined) => part && getComputedStyle(part).backgroundColor;
      return {
        edges,
        isOpaque: [head, head?.closest('thead')].some((part) => colorOf(part) === colorOf(document.body)),
      };
    });
    for (const gap of edges) expect(gap).to.be.within(-1, 1);
    expect(isOpaque).to.equal(true);
  }
}

const wordsInLine = (cell: Element) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
  return (cell.textContent ?? '').split(' ').length / lines.size;
};

describe('A table', () => {
  it('scrolls horizontally on a phone if it does not fit, fades out at each edge that hides content, and breaks long words', async () => {
    const page = await visitDemoWithTurns([turn('Which plants?', [table, hebrew, fewColumns].join('\n\n'))]);
    await page.setViewportSize(phone);
    const boxes = page.getByRole('group', { name: 'Table' });
    const cell = page.getByRole('cell', { name: 'Castings are moved at once' });
    await shownAs(page, cell);
    expect(await cell.evaluate(wordsInLine)).to.be.at.least(2);
    expect(
      await page.getByRole('cell', { name: 'Second hall' }).evaluate((element) => element.clientWidth),
    ).to.be.at.least(64);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(phone.width);

    for (const box of [boxes.nth(0), boxes.nth(1)]) {
      const more = (side: string) => box.and(page.locator(`[data-more-${side}]`));
      await more('end').waitFor();
      expect(await more('start').count()).to.equal(0);
      const mask = () => box.evaluate((element) => getComputedStyle(element).maskImage);
      const direction = await box.evaluate((element) =>
        getComputedStyle(element).direction === 'rtl' ? 'left' : 'right',
      );
      expect(await mask()).to.match(new RegExp(`to ${direction},(?!.* 48px,).*100% - 48px`));
      await box.focus();
      await box.evaluate((element) => {
        const toEnd = getComputedStyle(element).direction === 'rtl' ? -1 : 1;
        element.scrollLeft = toEnd * element.scrollWidth;
      });
      await more('start').waitFor();
      await more('end').waitFor({ state: 'detached' });
      expect(await mask()).to.match(new RegExp(`to ${direction},(?!.*100% - 48px).* 48px,`));
    }

    await page.setViewportSize({ width: 390, height: 844 });
    await shownAs(page, boxes.nth(2));
    expect(await boxes.nth(2).evaluate((element) => element.scrollWidth - element.clientWidth)).to.equal(0);
  });

  it('that fits has a sticky header row below the page header, on a phone and a desktop', async () => {
    await expectStickyHead(days);
  });

  it('that scrolls sideways has a sticky header row below the page header, on a phone and a desktop', async function () {
    needs(this, 'scroll-driven animations');

    const [head = '', dashes = '', row = ''] = wideTable.split('\n');
    await expectStickyHead([head, dashes, ...Array.from({ length: 40 }, () => row)]);
  });

  it('is covered by the dock even beside the message field, and keeps the names of its rows in view while it scrolls sideways', async () => {
    const page = await visitDemoWithTurns([turn('Which plants?', `${wideTable}\n\n${'A line.\n\n'.repeat(30)}`)]);
    await page.setViewportSize({ width: 844, height: 390 });
    await shownAs(page, page.getByRole('rowheader', { name: 'North' }));
    const beside = await page.evaluate(() => {
      const { top = 0, bottom = 0 } = document.querySelector('.dock-box')?.getBoundingClientRect() ?? {};
      return [20, innerWidth - 20].map((x) => document.elementFromPoint(x, (top + bottom) / 2)?.className);
    });
    expect(beside).to.deep.equal(['dock', 'dock']);

    await page.locator('.scroll-box').evaluate((box) => box.scrollTo(box.scrollWidth, 0));
    await page.locator('.scroll-box[data-more-start]').waitFor();
    const name = await page.getByRole('rowheader', { name: 'North' }).evaluate((cell) => ({
      left: cell.getBoundingClientRect().left - (cell.closest('.scroll-box')?.getBoundingClientRect().left ?? 0),
      isOpaque: getComputedStyle(cell).backgroundColor === getComputedStyle(document.body).backgroundColor,
    }));
    expect(name).to.deep.equal({ left: 0, isOpaque: true });
  });

  it('wraps the headers of number columns within their columns, and aligns the numbers with their ends', async () => {
    const revenue =
      '| Region | Revenue 2024 (€k) | 14 November 2026 | Cost/2025 | Changeovers | Scrap (%) | Reorganizations |\n|---|--:|--:|--:|--:|--:|---|\n| North | 1,200 | 1,380 | 9 | 41 | 6 | 3 |';
    const page = await visitDemoWithTurns([turn('Which plants?', revenue)]);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await shownAs(page, page.getByRole('rowheader', { name: 'North' }));
      const headers = page.getByRole('columnheader');
      expect(await headers.count()).to.equal(7);
      const overflows = await headers.evaluateAll((heads) =>
        heads.flatMap((head) => {
          const text = document.createRange();
          text.selectNodeContents(head);
          const [inner, outer] = [text.getBoundingClientRect(), head.getBoundingClientRect()];
          const end = outer.right - Number.parseFloat(getComputedStyle(head).paddingRight);
          return inner.left < outer.left - 1 || inner.right > end + 1 ? [head.textContent] : [];
        }),
      );
      expect(overflows, `at a width of ${width}`).to.deep.equal([]);
    }
    const gap = await page.getByRole('cell', { name: '1,200' }).evaluate((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell);
      const end = cell.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(cell).paddingRight);
      return end - text.getBoundingClientRect().right;
    });
    expect(gap).to.be.closeTo(0, 1);
  });

  it('has several words per line, narrow numbers, unbroken dates, and uses the space after the text', async () => {
    const dates = '| What is done | Begins and ends |\n|-|-|\n| A | From 2025-01-10 to 2025-02-28, no later |';
    const page = await visitDemoWithTurns([turn('Which plants?', `${wideTable}\n\n${dates}`)]);
    await shownAs(page, page.getByRole('cell', { name: 'Ask the smelter' }));
    const beyond = await page.evaluate(() => {
      const box = document.querySelector('.scroll-box')?.getBoundingClientRect();
      const text = document.querySelector('.turn-actions')?.getBoundingClientRect();
      return { left: (text?.left ?? 0) - (box?.left ?? 0), right: (box?.right ?? 0) - (text?.right ?? 0) };
    });
    // The buttons of a turn extend 8 px beyond its text.
    expect(beyond.left).to.be.closeTo(0, 9);
    expect(beyond.right).to.be.greaterThan(100);

    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({ width, height: 844 });
      await shownAs(page, page.getByRole('cell', { name: 'Ask the smelter' }));
      for (const name of ['Team of Mr Brandt', 'Move castings at once', 'First hall, left', 'To be seen soon']) {
        const words = await page.getByRole('cell', { name }).evaluate(wordsInLine);
        expect(words, `${name} at a width of ${width}`).to.be.at.least(2);
      }
      const number = page.getByRole('cell', { name: '1,200' });
      expect(await number.evaluate((cell) => cell.clientWidth)).to.be.at.most(72);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(width);
    }

    await page.setViewportSize(phone);
    const lines = await page
      .locator('.unbroken', { hasText: /2025/ })
      .evaluateAll((dates) => dates.map((date) => date.getClientRects().length));
    expect(lines).to.deep.equal([1, 1]);
  });

  it('ends where the text ends if its cells can wrap, and its head is hyphenated in the language of the reply', async () => {
    const long = 'Durchlaufzeitverkürzungsmaßnahmenplan';
    const sentence =
      'Der Guss wird sofort bewegt, und das ist in jeder Schicht so, auch wenn nicht alle Teile auf dem Plan sind.';
    const tables = [
      `| Plant | What is done |\n|-|-|\n| North | ${sentence} |`,
      `| ${long} | B |\n|-|-|\n| a | ${sentence.repeat(3)} |`,
    ];
    const page = await visitDemoWithTurns([turn('Which plants?', `${sentence}\n\n${tables.join('\n\n')}`)]);
    await shownAs(page, page.getByRole('columnheader', { name: long }));
    const ends = await page
      .locator('.reply p, .scroll-box')
      .evaluateAll((boxes) => boxes.map((box) => Math.round(box.getBoundingClientRect().right)));
    expect(new Set(ends).size).to.equal(1);
    const head = page.getByRole('columnheader', { name: long });
    expect(
      await head.evaluate((cell) => [getComputedStyle(cell).hyphens, cell.closest('[lang]')?.getAttribute('lang')]),
    ).to.deep.equal(['auto', 'de']);
  });

  it('keeps short cells on one line, and wraps the long header of a number column', async () => {
    const head = '| Owner | What is done about it | Number of units sold in the year |\n|-|-|-:|';
    const row = `| M. Albrecht | ${'Castings are moved at once. '.repeat(9)} | 1,200 |`;
    const page = await visitDemoWithTurns([turn('Which plants?', [head, row].join('\n'))]);
    await shownAs(page, page.getByRole('table'));
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      const lines = await page.getByText('M. Albrecht').evaluate((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      });
      expect(lines, `lines at a width of ${width}`).to.equal(1);
      const number = await page.getByRole('columnheader', { name: 'Number of units' }).boundingBox();
      expect(number?.width, `width of the numbers at a width of ${width}`).to.be.at.most(112);
    }
  });

  it('has its buttons at its start even if the page has the other text direction, and keeps signs and parentheses in place', async () => {
    const arabicPage = await visit(pages.demo, undefined, { locale: 'ar' });
    const body = 'When it is done.\n\n| Step | Days |\n|--|--:|\n| Casting | 3 |';
    await arabicPage.route(routes.demoChat, (route) =>
      route.fulfill({ contentType: 'text/plain; charset=utf-8', body }),
    );
    const field = arabicPage.getByRole('textbox');
    await field.fill('When?');
    await field.press('Enter');
    await arabicPage.locator('.table-end > .actions').waitFor();
    const leftOf = (selector: string) =>
      arabicPage.locator(selector).evaluate((element) => element.getBoundingClientRect().left);
    expect(await leftOf('.reply table')).to.be.closeTo(await leftOf('.reply p'), 1);

    const cells = ['-5%', '+3', '-$40', '−1.8%', '(12)', '10–12'];
    const rows = cells.map((cell) => `| الشمال | ${cell} |`).join('\n');
    const page = await visitDemoWithTurns([turn('Which plants?', `| المصنع | التغير |\n|-|-|\n${rows}`)]);
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
      ['table', 'tbody th', '.table-end > .actions'].map(
        (part) => document.querySelector(part)?.getBoundingClientRect().right ?? 0,
      ),
    );
    expect(rights[1]).to.be.closeTo(rights[0] ?? 0, 1);
    expect(rights[2]).to.be.closeTo(rights[0] ?? 0, 12);
    const tools = page.locator('.table-end > .actions');
    const copy = await page.getByRole('button', { name: 'Copy table' }).boundingBox();
    const box = await tools.boundingBox();
    expect((copy?.x ?? 0) + (copy?.width ?? 0)).to.be.closeTo((box?.x ?? 0) + (box?.width ?? 0), 1);
  });
});
