import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { needs } from './support/engine.ts';
import { boxOf, topOf, untilRendered, untilShown } from './support/rendering.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';
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

async function expectStickyHead(rows: readonly string[]): Promise<void> {
  const page = await visitDemoWithTurns([
    turn('Which plants?', `${'A line.\n\n'.repeat(9)}${rows.join('\n')}\n\nThe end.`),
  ]);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    await untilShown(page.getByRole('table'));
    const head = page.getByRole('columnheader').first();
    for (const row of [3, 20]) {
      await page.evaluate(() => window.scrollTo(0, 0));
      const { bottom } = await boxOf(page.getByRole('banner'));
      const top = await topOf(page.getByRole('row').nth(row));
      await page.evaluate((top) => window.scrollTo(0, top), top - bottom);
      await untilRendered(page);
      expect(await topOf(head), `${width}, row ${row}`).to.be.closeTo(
        (await boxOf(page.getByRole('banner'))).bottom,
        1,
      );
    }
    const isOpaque = await head.evaluate((head) => {
      const colorOf = (part: Element | null) => part && getComputedStyle(part).backgroundColor;
      return [head, head.closest('thead')].some((part) => colorOf(part) === colorOf(document.body));
    });
    expect(isOpaque).to.equal(true);
  }
}

const wordsInLine = (cell: Element) => {
  const lines = new Set(Array.from(window.contentsOf(cell).getClientRects(), ({ top }) => Math.round(top)));
  return (cell.textContent ?? '').split(' ').length / lines.size;
};

describe('A table', () => {
  it('scrolls horizontally on a phone if it does not fit, fades out at each edge that hides content, and breaks long words', async () => {
    const page = await visitDemoWithTurns([turn('Which plants?', [table, hebrew, fewColumns].join('\n\n'))]);
    await page.setViewportSize(phone);
    const boxes = page.getByRole('group', { name: 'Table' });
    const cell = page.getByRole('cell', { name: 'Castings are moved at once' });
    await untilShown(cell);
    expect(await cell.evaluate(wordsInLine)).to.be.at.least(2);
    expect((await boxOf(page.getByRole('cell', { name: 'Second hall' }))).width).to.be.at.least(64);
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
    await untilShown(boxes.nth(2));
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
    const { dock } = conversationOn(page);
    await page.setViewportSize({ width: 844, height: 390 });
    await untilShown(page.getByRole('rowheader', { name: 'North' }));
    const isTopmostBeside = await dock.evaluate((dock) => {
      const { top, bottom } = dock.getBoundingClientRect();
      return [20, innerWidth - 20].map((x) => document.elementFromPoint(x, (top + bottom) / 2) === dock);
    });
    expect(isTopmostBeside).to.deep.equal([true, true]);

    const box = page.getByRole('group', { name: 'Table' });
    await box.evaluate((box) => box.scrollTo(box.scrollWidth, 0));
    await box.and(page.locator('[data-more-start]')).waitFor();
    const name = await page.getByRole('rowheader', { name: 'North' }).evaluate((cell) => ({
      left: cell.getBoundingClientRect().left - (cell.closest('[role=group]')?.getBoundingClientRect().left ?? 0),
      isOpaque: getComputedStyle(cell).backgroundColor === getComputedStyle(document.body).backgroundColor,
    }));
    expect(name).to.deep.equal({ left: 0, isOpaque: true });
  });

  it('starts where the text starts, and a wide one ends beyond it; numbers are aligned with the ends of their headers, which wrap between words', async () => {
    const wide = [
      '| Work centre | Revenue 2024 (€k) | Cost/2025 | Scrap (%) | Lead time (days) | Rückverfolgbarkeitsaufwand (h) | Orders |',
      '| - | -: | -: | -: | -: | -: | -: |',
      '| Moulding in the south plant | 1,200 | 2.1 | 9 | 3 | 88 | 12 |',
    ].join('\n');
    const page = await visitDemoWithTurns([
      turn('Which?', `The plants:\n\n${wide}\n\n| a | b |\n| - | -: |\n| c | 1 |`),
    ]);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await untilShown(page.getByRole('table').last());
      const measured = await page.locator('.table-frame').evaluateAll((frames) => {
        const text = document.querySelector('article p')?.getBoundingClientRect() ?? new DOMRect();
        const endOf = (cell: Element) =>
          cell.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(cell).paddingRight);
        const isBroken = (head: Element, word: string) => {
          const range = window.contentsOf(head.firstChild ?? head);
          const from = (head.textContent ?? '').indexOf(word);
          range.setStart(range.startContainer, from);
          range.setEnd(range.startContainer, from + word.length);
          return range.getClientRects().length > 1;
        };
        return frames.map((frame) => {
          const heads = [...frame.querySelectorAll('th > span')];
          const numbers = [...frame.querySelectorAll('td')];
          return {
            start: frame.getBoundingClientRect().left - text.left,
            isBeyond: frame.getBoundingClientRect().right > text.right + 1,
            endPadding: [...frame.querySelectorAll('tr > :last-child')].map(
              (cell) => getComputedStyle(cell).paddingRight,
            ),
            heads: heads.length,
            broken: heads.flatMap((head) => (head.textContent ?? '').split(' ').filter((word) => isBroken(head, word))),
            outside: heads.filter((head) => {
              const { left, right } = window.contentsOf(head).getBoundingClientRect();
              return left < head.getBoundingClientRect().left - 1 || right > endOf(head) + 1;
            }).length,
            unaligned: numbers.filter(
              (cell) => Math.abs(endOf(cell) - window.contentsOf(cell).getBoundingClientRect().right) > 1,
            ).length,
          };
        });
      });
      const expected = { start: 0, endPadding: ['0px', '0px'], broken: [], outside: 0, unaligned: 0 };
      expect(measured, `${width}`).to.deep.equal([
        { ...expected, heads: 6, isBeyond: width === 1280 },
        { ...expected, heads: 1, isBeyond: false },
      ]);
    }
  });

  it('has several words per line, narrow numbers, unbroken dates and short cells on one line, and wraps the long header of a number column', async () => {
    const dates = '| What is done | Begins and ends |\n|-|-|\n| A | From 2025-01-10 to 2025-02-28, no later |';
    const head = '| Owner | What is done about it | Number of units sold in the year |\n|-|-|-:|';
    const row = `| M. Albrecht | ${'Castings are moved at once. '.repeat(9)} | 900 |`;
    const page = await visitDemoWithTurns([turn('Which plants?', [wideTable, dates, `${head}\n${row}`].join('\n\n'))]);
    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({ width, height: 844 });
      await untilShown(page.getByRole('cell', { name: 'Ask the smelter' }));
      for (const name of ['Team of Mr Brandt', 'Move castings at once', 'First hall, left', 'To be seen soon']) {
        const words = await page.getByRole('cell', { name }).evaluate(wordsInLine);
        expect(words, `${name} at a width of ${width}`).to.be.at.least(2);
      }
      const number = page.getByRole('cell', { name: '1,200' });
      expect(await number.evaluate((cell) => cell.clientWidth)).to.be.at.most(72);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(width);
      const owner = page.getByText('M. Albrecht');
      const lineCount = await owner.evaluate((cell) => window.contentsOf(cell).getClientRects().length);
      expect(lineCount, `lines at a width of ${width}`).to.equal(1);
      const units = await boxOf(page.getByRole('columnheader', { name: 'Number of units' }));
      expect(units.width, `width of the numbers at a width of ${width}`).to.be.at.most(112);
    }

    await page.setViewportSize(phone);
    const lines = await page
      .getByText(/^2025-/)
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
    await untilShown(page.getByRole('columnheader', { name: long }));
    const ends = await page
      .locator('article p, [role=group]')
      .evaluateAll((boxes) => boxes.map((box) => Math.round(box.getBoundingClientRect().right)));
    expect(ends).to.deep.equal(Array(3).fill(ends[0]));
    const head = page.getByRole('columnheader', { name: long });
    expect(
      await head.evaluate((cell) => [getComputedStyle(cell).hyphens, cell.closest('[lang]')?.getAttribute('lang')]),
    ).to.deep.equal(['auto', 'de']);
  });

  it('has its buttons at its start even if the page has the other text direction, and keeps signs and parentheses in place', async () => {
    const english = 'When it is done.\n\n| Step | Days |\n|--|--:|\n| Casting | 3 |';
    const arabicPage = await visitDemoWithTurns([turn('When?', english)], { locale: 'ar' });
    await untilShown(arabicPage.getByRole('table'));
    const { left } = await boxOf(arabicPage.getByText('When it is done.'));
    expect((await boxOf(arabicPage.getByRole('table'))).left).to.be.closeTo(left, 1);

    const cells = ['-5%', '+3', '-$40', '−1.8%', '(12)', '10–12'];
    const rows = cells.map((cell) => `| الشمال | ${cell} |`).join('\n');
    const page = await visitDemoWithTurns([turn('Which plants?', `| المصنع | التغير |\n|-|-|\n${rows}`)]);
    await untilShown(page.getByRole('cell', { name: '(12)' }));
    const drawnCells = await page.locator('td:nth-child(2)').evaluateAll((drawn) =>
      drawn.map((cell) => {
        const range = window.contentsOf(cell.firstChild ?? cell);
        const letters = Array.from(cell.textContent ?? '', (letter, index) => {
          range.setStart(range.startContainer, index);
          range.setEnd(range.startContainer, index + 1);
          return { letter, left: range.getBoundingClientRect().left };
        });
        return letters
          .sort((one, other) => one.left - other.left)
          .map(({ letter }) => letter)
          .join('');
      }),
    );
    expect(drawnCells).to.deep.equal(cells);
    const rightOf = async (part: Locator) => (await boxOf(part)).right;
    const right = await rightOf(page.getByRole('table'));
    expect(await rightOf(page.getByRole('rowheader').first())).to.be.closeTo(right, 1);
    expect(await rightOf(page.getByRole('button', { name: 'Copy table' }))).to.be.closeTo(right, 13);
  });
});
