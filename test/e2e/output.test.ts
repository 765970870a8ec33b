import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { messages as ar } from '../../client/language/messages/ar.ts';
import { messages as ja } from '../../client/language/messages/ja.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { openClipboard } from './support/clipboard.ts';
import { savedBy } from './support/downloads.ts';
import { needs } from './support/engine.ts';
import { copiedPictureTypes, savedPicture } from './support/pictures.ts';
import { printableArea } from './support/printable-area.ts';
import { boxOf, topOf, untilShown } from './support/rendering.ts';
import { visitDemoWithTurns, visitWithConversations } from './support/stored-conversations.ts';
import { freezeClock } from './support/visit.ts';
import { wideTable } from './support/wide-table.ts';

const phone = { width: 320, height: 700 };

const table = [
  '| Plant | What is done about it | Cost | Where it is |',
  '|---|---|--:|---|',
  '| North | Castings are moved at once, whatever the order of the day | 1,200 | First hall on the left |',
  '| South | They are moved once a day | 900 | Second hall |',
  '| =1+1 | Nothing | 1,500 | Third hall |',
].join('\n');

const costs = '| Plant | Cost |\n|---|--:|\n| North | 1,200 |\n| South | 900 |\n| =1+1 | 1,500 |';

const mixed = [
  '| Plant | Share | Orders | Items | Cost |',
  '|---|--:|--:|--:|--:|',
  '| North | 45 % | 1,200 | 14,800 | $950k |',
  '| South | 55 % | 800 | 9,300 | $1.1M |',
].join('\n');

const clipboardHtml = (page: Page) =>
  page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return (await item?.getType('text/html'))?.text();
  });

/** Returns the texts of a chart that are in view: the labels and values of its rows, then the numbers of its axis. */
const textsOf = async (chart: Locator) => (await chart.innerText()).split(/\n+/);

const barsOf = (chart: Locator) => chart.getByTitle(/ \(.+\)$/);

describe('the download of a conversation', () => {
  it('asks once for the format, Markdown to read or JSON to import again, and stays open after a failure', async function () {
    needs(this, 'downloads');

    const { page } = await visitWithConversations([
      { title: 'Lead time', turns: [turn('Where do we stand?', 'In week 3.')] },
    ]);
    const dialog = page.getByRole('dialog', { name: 'Download conversation' });
    const open = async () => {
      await page.getByRole('button', { name: 'Conversation actions' }).click();
      await page.getByRole('menuitem', { name: 'Download…' }).click();
    };
    await open();
    await expectAccessible(page, 'the choice of a form');
    await page.evaluate(() => {
      const { createObjectURL } = URL;
      URL.createObjectURL = () => {
        URL.createObjectURL = createObjectURL;
        throw new Error('No memory is left.');
      };
    });
    await dialog.getByRole('button', { name: 'Markdown, to read' }).click();
    await dialog.getByRole('alert').getByText('The conversations couldn’t be read.').waitFor();
    const markdown = await savedBy(page, dialog.getByRole('button', { name: 'Markdown, to read' }));
    await dialog.waitFor({ state: 'detached' });
    await open();
    const json = await savedBy(page, dialog.getByRole('button', { name: 'JSON, to import' }));
    await dialog.waitFor({ state: 'detached' });
    expect([markdown.name, json.name]).to.deep.equal(['Lead time.md', 'Lead time.json']);
    expect(String(markdown.content)).to.match(/^# Lead time\n.*## You\n\nWhere do we stand\?/s);
    expect(JSON.parse(String(json.content)).conversations).to.have.length(1);
  });
});

describe('a reply', () => {
  const reply = 'Run **this** [now](https://a.example).\n\n```sh\nnpm ci\n\nnpm start\n```\n\n## Plants\n\n'.concat(
    table,
  );

  it('is copied by its parts and as a whole, as formatted text and as Markdown, or the page says how to copy it', async function () {
    needs(this, 'clipboard permissions', 'downloads');

    const page = await visitDemoWithTurns([turn('Where do we stand?', reply)]);
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

    const neighbour = page.getByRole('button', { name: 'Download CSV' });
    const { left } = await boxOf(neighbour);
    await page.getByRole('button', { name: 'Copy table' }).click();
    await copied.waitFor();
    expect((await boxOf(neighbour)).left).to.equal(left);
    const column = (await clipboard()).split('\n').map((line) => line.split('\t')[2]);
    expect(column).to.deep.equal(['Cost', '1,200', '900', '1,500']);
    expect(await clipboardHtml(page))
      .to.include('<td>1,200</td>')
      .and.match(/<td>(?:'|&#39;)=1\+1<\/td>/);
    const csv = await savedBy(page, page.getByRole('button', { name: 'Download CSV' }));
    expect(csv.name).to.equal('Plants.csv');
    expect(String(csv.content).split('\r\n').at(3)).to.equal('\'=1+1,Nothing,"1,500",Third hall');
    await page.getByRole('button', { name: 'Copy table' }).waitFor();

    const openMenu = () => page.getByRole('banner').getByRole('button', { name: 'Conversation actions' }).click();
    await page.getByRole('button', { name: 'Copy reply' }).click();
    await copied.waitFor();
    expect(await clipboard()).to.equal(reply);
    expect(await clipboardHtml(page)).to.include('Run <strong>this</strong> <a href="https://a.example/">now</a>.');
    await openMenu();
    await page.getByRole('menuitem', { name: 'Copy conversation' }).click();
    await page.getByRole('menuitem', { name: 'Copied' }).waitFor();
    expect(await clipboard()).to.match(/^# Where do we stand\?\n\n\w+ \d+, \d{4}\n\n## You\n\n/);
    expect(await clipboardHtml(page)).to.match(/<h1>Where do we stand\?<\/h1>.*<h2>You<\/h2>/s);
    await page.keyboard.press('Escape');

    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.getByRole('button', { name: 'Copy reply' }).click();
    const failure = page.getByRole('status').filter({ hasText: 'Select the text and copy it manually.' });
    await failure.waitFor();
    await openMenu();
    await page.getByRole('menuitem', { name: 'Copy conversation' }).click();
    await failure.nth(1).waitFor();
  });

  it('downloads a table with semicolons on a page whose language has a decimal comma', async function () {
    needs(this, 'downloads');

    const written = '| A | B |\n|--|--|\n| 1,5 | 2 |';
    const page = await visitDemoWithTurns([turn('Wo stehen wir?', written)], { locale: 'de-DE' });
    const csv = await savedBy(page, page.getByRole('button', { name: 'CSV herunterladen' }));
    expect(String(csv.content)).to.equal('\uFEFFA;B\r\n1,5;2\r\n');
  });

  it('is selected without the labels of its buttons, and with the source of its formulas', async () => {
    const page = await visitDemoWithTurns([
      turn(
        'How much?',
        `Half is $\\frac{1}{2}$, as said.\n\n\`\`\`ts\nlet a;\n\`\`\`\n\n${costs}\n\n$$\nx^2\n$$\n\nThe end.`,
      ),
    ]);
    await page.locator('math').nth(1).waitFor();
    await page.getByRole('button', { name: 'Show chart' }).click();
    await page.getByRole('img', { name: /^Bar chart/ }).waitFor();
    const [selected = '', html = ''] = await page.evaluate(() => {
      getSelection()?.selectAllChildren(document.querySelector('[role=log]') ?? document.body);
      const copied = new Map<string, string>();
      const clipboardData = { setData: (type: string, data: string) => copied.set(type, data) };
      document.dispatchEvent(Object.assign(new Event('copy', { cancelable: true }), { clipboardData }));
      return [copied.get('text/plain'), copied.get('text/html')];
    });
    expect(html)
      .to.include('<mfrac>')
      .and.not.match(/<annotation|<button|frac\{/);
    expect(selected.split(/\s*[\n\t]\s*/).filter(Boolean)).to.deep.equal([
      'How much?',
      'Half is $\\frac{1}{2}$, as said.',
      'let a;',
      ...['Plant', 'Cost', 'North', '1,200', 'South', '900', '=1+1', '1,500'],
      ...['$$', 'x^2', '$$'],
      'The end.',
    ]);
  });

  it('charts the numbers of a table as bars, in one unit at a time, and opens a chart enlarged under the names of its columns', async () => {
    const page = await visitDemoWithTurns([turn('Which plants?', [costs, mixed].join('\n\n'))]);
    const showChart = page.getByRole('button', { name: 'Show chart' });
    await showChart.first().click();
    const ofCosts = page.getByRole('img', {
      name: /^Bar chart of Cost, from North to =1\+1\. Lowest: 900 \(South\)\. Highest: 1,500/,
    });
    await ofCosts.waitFor();
    const widths = await barsOf(ofCosts).evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    const [first = 0] = widths;
    expect(widths.map((width) => Math.round((1200 * width) / first))).to.deep.equal([1200, 900, 1500]);

    await showChart.click();
    const columns = page.getByRole('group', { name: 'Columns' });
    const chartOf = (names: string) => page.getByRole('img', { name: `${names}, from North to South` });
    await chartOf('Share').waitFor();
    await columns.getByLabel('Cost').check();
    await chartOf('Share').waitFor({ state: 'detached' });
    expect(await columns.getByLabel('Share').isChecked()).to.equal(false);
    expect(await textsOf(chartOf('Cost'))).to.deep.equal([
      ...['North', '$950,000', 'South', '$1.1M'],
      ...['$0', '$500K', '$1M', '$1.5M'],
    ]);
    await columns.getByLabel('Orders').check();
    await columns.getByLabel('Items').check();
    await chartOf('Orders and Items').waitFor();
    expect(await chartOf('').count()).to.equal(1);
    await expectAccessible(page, 'tables with their charts');
    await page.getByRole('button', { name: 'Enlarge' }).first().click();
    await expectAccessible(
      page.getByRole('dialog', { name: 'Cost' }).getByRole('img', { name: 'Cost' }),
      'an enlarged chart',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Hide chart' }).first().click();
    await ofCosts.waitFor({ state: 'detached' });

    const ticks = async () => (await textsOf(chartOf('Orders and Items'))).slice(6);
    expect(await ticks()).to.deep.equal(['0', '5K', '10K', '15K']);
    await page.setViewportSize(phone);
    const { count, textsOutside } = await chartOf('Orders and Items').evaluate((drawing) => {
      const box = drawing.getBoundingClientRect();
      const isInside = (text: Element) => {
        const { left, right } = window.contentsOf(text).getBoundingClientRect();
        return left >= box.left && right <= box.right;
      };
      const texts = Array.from(drawing.querySelectorAll('span:not(:has(*)), bdi')).filter((text) =>
        text.checkVisibility({ visibilityProperty: true }),
      );
      const textsOutside = texts.filter((text) => !isInside(text)).map((text) => text.textContent);
      return { count: texts.length, textsOutside };
    });
    expect(count).to.be.above(4);
    expect(textsOutside).to.deep.equal([]);
    // Half of the numbers have room.
    expect(await ticks()).to.deep.equal(['0', '10K']);
  });

  it('draws a chart from right to left on an Arabic page, and groups the digits of abbreviated values on a Japanese one', async () => {
    const chartIn = async (locale: 'ja' | 'ar', table: string) => {
      const page = await visitDemoWithTurns([turn('?', table)], { locale });
      await page.getByRole('button', { name: { ja, ar }[locale].tables.showChart }).click();
      await page.getByRole('img').waitFor();
      return page.getByRole('img');
    };
    const japanese = await chartIn('ja', '| 工場 | 費用 |\n|---|--:|\n| 北 | 95,000,000円 |\n| 南 | 150,000,000円 |');
    expect(await textsOf(japanese)).to.deep.equal([
      ...['費用', '北', '9,500万円', '南', '1.5億円'],
      ...['0円', '5,000万円', '1億円', '1.5億円'],
    ]);

    const arabic = await chartIn('ar', '| المصنع | التكلفة |\n|---|--:|\n| الشمال | 900 € |\n| الجنوب | -300 € |');
    const minusSigns = await arabic.locator('bdi').evaluateAll((numbers) =>
      numbers
        .filter(({ textContent }) => textContent?.includes('-'))
        .map((number) => {
          const node = document.createTreeWalker(number, NodeFilter.SHOW_TEXT).nextNode() ?? number;
          const minus = node.textContent?.indexOf('-') ?? 0;
          const leftOf = (index: number) => {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + 1);
            return range.getBoundingClientRect().left;
          };
          return leftOf(minus) < leftOf(minus + 1);
        }),
    );
    expect(minusSigns).to.deep.equal([true, true]);
    const positions = await barsOf(arabic).evaluateAll((bars) =>
      bars.map((bar) => {
        const { left, right } = bar.getBoundingClientRect();
        const value = bar.firstElementChild?.getBoundingClientRect();
        const zero = document.querySelector('.chart-zero')?.getBoundingClientRect();
        return {
          isLeftOfZero: (left + right) / 2 < (zero?.left ?? 0),
          isValueLeftOfBar: (value?.right ?? 0) <= left,
        };
      }),
    );
    expect(positions).to.deep.equal([
      { isLeftOfZero: true, isValueLeftOfBar: true },
      { isLeftOfZero: false, isValueLeftOfBar: false },
    ]);
  });

  it('copies and saves a chart as a picture at twice its size on the page, in light colors on white, with right-to-left labels at their place', async function () {
    needs(this, 'clipboard permissions', 'downloads');

    const arabic = '| المصنع | التكلفة |\n|---|--:|\n| الشمال الغربي | 900 |\n| الجنوب | 300 |';
    const page = await visitDemoWithTurns([turn('Which plants?', `${arabic}\n\n${costs}`)]);
    const showChart = page.getByRole('button', { name: 'Show chart' });
    const hideChart = page.getByRole('button', { name: 'Hide chart' });
    await showChart.first().click();
    const leftHalf = await page.getByTitle('الشمال الغربي', { exact: true }).evaluate((label) => {
      const text = window.contentsOf(label).getBoundingClientRect();
      const corner = label.closest('[role=img]')?.getBoundingClientRect() ?? text;
      return {
        left: text.left - corner.left,
        right: (text.left + text.right) / 2 - corner.left,
        top: text.top - corner.top,
        bottom: text.bottom - corner.top,
      };
    });
    expect((await savedPicture(page, leftHalf)).colors.length).to.be.greaterThan(1);
    await hideChart.click();

    await page.emulateMedia({ colorScheme: 'dark' });
    await openClipboard(page);
    await showChart.nth(1).click();
    const chart = page.getByRole('img', { name: /^Bar chart of Cost/ });
    const { width, height } = await boxOf(chart);
    const picture = await savedPicture(page);
    expect(picture.name).to.equal('Which plants.png');
    expect(picture.width).to.be.closeTo(2 * (width + 32), 2);
    expect(picture.height).to.be.closeTo(2 * (height + 32), 2);
    expect(picture.corner).to.deep.equal([255, 255, 255, 255]);
    expect(picture.colors).to.include.members(['31,95,91,255', '28,35,33,255']);
    expect(await chart.evaluate((element) => getComputedStyle(element).color)).to.equal('rgb(163, 172, 168)');

    expect(await copiedPictureTypes(page)).to.deep.equal(['image/png']);
    await page.evaluate(() => Object.defineProperty(window, 'ClipboardItem', { value: undefined }));
    await hideChart.click();
    await showChart.nth(1).click();
    await page.getByRole('button', { name: 'Save image' }).waitFor();
    expect(await page.getByRole('button', { name: 'Copy image' }).count()).to.equal(0);
  });

  it('truncates long labels of a chart with an ellipsis, on the page and in the picture, and wraps long column names', async function () {
    needs(this, 'downloads');

    const long = 'Castings are moved at once, whatever the order of the day. '.repeat(5);
    const name = 'Mitbestimmungsrecht'.repeat(4);
    const page = await visitDemoWithTurns(
      [turn('Which plants?', `| Plan | ${name} | Cost |\n|---|--:|--:|\n| ${long} | 1 | 2 |\n| x | 2 | 3 |`)],
      { viewport: phone },
    );
    await page.getByRole('button', { name: 'Show chart' }).click();
    const chart = page.getByRole('img', { name: /^Bar chart/ });
    await chart.waitFor();
    const { isNamed, isWide, lines, below } = await chart.evaluate((drawing) => {
      const name = drawing.querySelector('bdi');
      const isNamed = name?.checkVisibility();
      // The picture also has the names of the columns, which the check boxes have on the page.
      drawing.parentElement?.toggleAttribute('data-picture', true);
      const corner = drawing.getBoundingClientRect();
      const [cut, short] = drawing.querySelectorAll('span[title]');
      const text = window.contentsOf(short ?? drawing).getBoundingClientRect();
      const box = cut?.getBoundingClientRect() ?? corner;
      return {
        isNamed: [isNamed, name?.checkVisibility()],
        isWide: corner.right > window.innerWidth,
        lines: Math.round(box.height / text.height),
        // Beside the short label, in the column of labels.
        below: {
          left: box.left - corner.left,
          right: text.left - corner.left - 2,
          top: text.top - corner.top,
          bottom: text.bottom - corner.top,
        },
      };
    });
    expect({ isNamed, isWide, lines }).to.deep.equal({ isNamed: [false, true], isWide: false, lines: 3 });
    const picture = await savedPicture(page, below);
    expect(picture.colors).to.deep.equal(['255,255,255,255']);
  });

  it('prints as a document with title, date, speakers, complete tables and link addresses, and without the interface', async function () {
    needs(this, 'media emulation');

    const code = `\`\`\`ts\nconst path = '${'reports/'.repeat(40)}'; // ${'A long comment. '.repeat(12)}\n\`\`\``;
    const links = 'See [other.example](https://a.example/r) or https://a.example/.';
    const page = await visitDemoWithTurns([
      turn('Where do we stand?', `## Links\n\n${links}\n\n${code}\n\n${wideTable}`),
      turn('And now?'),
    ]);
    await untilShown(page.getByRole('table'));
    await page.getByText('const', { exact: true }).waitFor();
    const destination = page.getByText('(a.example)');
    await destination.waitFor();
    await page.evaluate(() => Object.assign(document.documentElement.dataset, { theme: 'dark' }));
    // The size of an A4 page.
    await page.setViewportSize({ width: 794, height: 1123 });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.getByText(/^\w+ \d+, \d{4}$/).waitFor();
    const title = page.getByRole('paragraph').filter({ hasText: 'Where do we stand?' });
    expect((await boxOf(title)).left).to.equal((await boxOf(page.getByRole('article').first())).left);
    expect(await destination.isVisible()).to.equal(false);
    expect(await page.getByRole('button').count()).to.equal(0);
    expect(await page.getByRole('textbox').count()).to.equal(0);
    // While a browser prints, no script updates the marks of the window's layout.
    await page.getByRole('group', { name: /^Table/ }).evaluate((box) => box.toggleAttribute('data-more-end', true));
    const printed = await page.evaluate(() => {
      const links = Array.from(document.querySelectorAll('article a'));
      const box = document.querySelector('[role=group]:has(table)');
      const lastTurn = document.querySelector('[role=log] > :last-child');
      const bottomOf = (part: Element) => part.getBoundingClientRect().bottom;
      const stylesOf = (selector: string) =>
        Array.from(document.querySelectorAll(selector), (part) => getComputedStyle(part));
      const contrastOnPaper = (color: string) => {
        const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
          const share = Number(part) / 255;
          return share <= 0.04 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
      };
      const texts = Array.from(document.querySelectorAll('main *')).filter(
        (part) =>
          part.checkVisibility({ contentVisibilityAuto: true }) &&
          Array.from(part.childNodes).some((node) => node instanceof Text && node.data.trim() !== ''),
      );
      return {
        addresses: links.map((link) => getComputedStyle(link, '::after').content),
        hasTexts: texts.length > 20,
        pale: texts.filter((part) => contrastOnPaper(getComputedStyle(part).color) < 4.5).map((part) => part.className),
        beyond: texts
          .filter((part) => window.contentsOf(part).getBoundingClientRect().right > window.innerWidth)
          .map((part) => part.className),
        contentVisibility: [...new Set(stylesOf('main *').map(({ contentVisibility }) => contentVisibility))],
        emptySpace: lastTurn && bottomOf(lastTurn) - bottomOf(lastTurn.querySelector('article p') ?? lastTurn) > 40,
        breaksInRows: [...new Set(stylesOf('tr').map(({ breakInside }) => breakInside))],
        breaksAfter: stylesOf('article[aria-label=You], article h2').map(({ breakAfter }) => breakAfter),
        found: getComputedStyle(document.body, '::highlight(passage)').backgroundColor,
        speakers: Array.from(
          document.querySelectorAll('[role=log] > :first-child article'),
          (part) => getComputedStyle(part, '::before').content,
        ),
        isFaded: box && getComputedStyle(box).maskImage !== 'none',
        isCut: box === null || box.scrollWidth > box.clientWidth,
        paper: getComputedStyle(document.body).backgroundColor,
      };
    });
    expect(printed).to.deep.equal({
      addresses: ['" <https://a.example/r>"', 'none'],
      hasTexts: true,
      pale: [],
      beyond: [],
      contentVisibility: ['visible'],
      emptySpace: false,
      breaksInRows: ['avoid'],
      breaksAfter: ['avoid', 'avoid', 'avoid'],
      found: 'rgba(0, 0, 0, 0)',
      speakers: ['"You"', '"Assistant"'],
      isFaded: false,
      isCut: false,
      paper: 'rgb(255, 255, 255)',
    });
    // The direction of an Arabic page. The text stays from left to right.
    const speakerAlignment = await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
      return Array.from(
        document.querySelectorAll('[role=log] > :first-child article'),
        (part) => getComputedStyle(part, '::before').textAlign,
      );
    });
    expect(speakerAlignment).to.deep.equal(['right', 'right']);
  });

  it('prints the columns of a table that is wider than the page: words break, then the type gets smaller, and a line names the omitted columns', async function () {
    needs(this, 'media emulation');

    const tableOf = (count: number, cell: string, rows = 1) => {
      const columns = Array.from({ length: count }, (_, column) => `Column${column}`);
      const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
      return line(columns) + line(columns.map(() => '--:')) + line(columns.map(() => cell)).repeat(rows);
    };
    const tables = [
      tableOf(3, '12,400'),
      tableOf(6, 'Produktionsplanung'),
      tableOf(12, '1,240,000'),
      tableOf(20, '1,240,000'),
      tableOf(6, 'Produktionsplanung', 120),
    ];
    const page = await visitDemoWithTurns([turn('Where do we stand?', tables.join('\n\n'))]);
    await untilShown(page.getByRole('table').last());
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize(printableArea);
    const printed = () =>
      page.locator('.table-frame').evaluateAll((frames) =>
        frames.map((frame) => {
          const edge = frame.getBoundingClientRect().right + 0.5;
          const isWhole = (cell: Element) => window.contentsOf(cell).getBoundingClientRect().right <= edge;
          const columns = Array.from(frame.querySelectorAll('thead th'));
          const isPrinted = columns.map((_, column) =>
            Array.from(frame.querySelectorAll(`tr > :nth-child(${column + 1})`)).every(isWhole),
          );
          const line = frame.querySelector('p');
          return {
            printed: isPrinted.filter(Boolean).length,
            pixels: Math.round(parseFloat(getComputedStyle(columns[0] ?? frame).fontSize)),
            hasLine: (line?.clientHeight ?? 0) > 0,
            missing: Array.from(line?.querySelectorAll('bdi') ?? [])
              .filter(({ clientWidth }) => clientWidth > 0)
              .map((name) => name.textContent?.split('\u00A0')[0]),
          };
        }),
      );
    const complete = { hasLine: false, missing: [] };
    const missing = ['Column15', 'Column16', 'Column17', 'Column18', 'Column19'];
    expect(await printed()).to.deep.equal([
      { printed: 3, pixels: 13, ...complete },
      { printed: 6, pixels: 13, ...complete },
      { printed: 12, pixels: 12, ...complete },
      { printed: 15, pixels: 9, hasLine: true, missing },
      { printed: 6, pixels: 13, ...complete },
    ]);
    await page.setViewportSize({ width: printableArea.height, height: printableArea.width });
    expect((await printed())[3]).to.deep.include({ printed: 20, ...complete });
  });

  it('keeps the colors of its chart and task boxes in forced-colors mode and in print', async function () {
    needs(this, 'media emulation');

    const page = await visitDemoWithTurns([turn('Which plants?', `- [x] North\n- [ ] South\n\n${mixed}`)]);
    await page.getByRole('button', { name: 'Show chart' }).click();
    const columns = page.getByRole('group', { name: 'Columns' });
    await columns.getByLabel('Orders').check();
    await columns.getByLabel('Items').check();
    const chart = page.getByRole('img', { name: 'Bar chart of Orders and Items' });
    await chart.waitFor();
    const swatches = page.locator('.chart-swatch');
    const colorsOf = (parts: Locator, property: 'backgroundColor' | 'accentColor' = 'backgroundColor') =>
      parts.evaluateAll((parts, name) => parts.map((part) => getComputedStyle(part)[name]), property);
    for (const forcedColors of ['none', 'active'] as const) {
      await page.emulateMedia({ forcedColors });
      const colors = await colorsOf(chart.getByTitle('(North, '));
      expect(new Set([...colors, ...(await colorsOf(page.locator('body')))]).size, forcedColors).to.equal(3);
      expect(await colorsOf(swatches), forcedColors).to.deep.equal(colors);
    }
    await page.emulateMedia({ forcedColors: 'none' });
    expect(await colorsOf(columns.getByRole('checkbox', { checked: true }), 'accentColor')).to.deep.equal(
      await colorsOf(swatches),
    );
    await page.emulateMedia({ media: 'print' });
    expect(await columns.isVisible()).to.equal(false);
    expect(await chart.locator('.chart-grid').evaluate((grid) => grid.checkVisibility())).to.equal(false);
    expect((await boxOf(page.locator('.chart'))).bottom).to.equal((await boxOf(chart)).bottom);
    expect(await chart.getByText('Orders', { exact: true }).isVisible()).to.equal(true);
    for (const colored of [page.getByRole('img', { name: 'Done', exact: true }), barsOf(chart).first()])
      expect(await colored.evaluate((element) => getComputedStyle(element).printColorAdjust)).to.equal('exact');
  });

  it('prints below the title and the last date of the conversation, with space above each question, and without the advice after an interruption', async function () {
    needs(this, 'media emulation');

    const interrupted = { ending: { type: 'interrupted', requestId: '01JD-EXAMPLE' } } as const;
    const askedOn = (day: string) => ({ askedAt: Date.parse(`${day}T12:00Z`) });
    const turns = inARow(
      turn('Where do we stand?', 'Week 3', askedOn('2026-11-17')),
      turn('And now?', 'Week 3', askedOn('2026-11-18')),
      turn('And then?', 'Week 4', { ...interrupted, ...askedOn('2026-11-20') }),
    );
    const otherVersion = turn('And then?', 'Week 5', { id: 'other', parentId: 'And now?' });
    const { page, error, questions, replies } = await visitWithConversations([
      { title: 'Lead time', turns: [otherVersion, ...turns] },
    ]);
    await untilShown(replies.nth(2));
    const versions = page.getByRole('group', { name: /^Versions of this/ });
    for (const part of [error.getByText('Details'), versions]) await part.waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const hasText of [/^Lead time$/, /^November 20, 2026$/])
      await page.getByRole('paragraph').filter({ hasText }).waitFor();
    expect(await page.locator('#root').evaluate((root) => getComputedStyle(root).minHeight)).to.equal('0px');
    for (const index of [0, 1])
      expect(await topOf(questions.nth(index + 1))).to.be.at.least((await boxOf(replies.nth(index))).bottom + 20);
    expect(await error.innerText()).to.equal('The connection was lost during the reply.');
    expect(await versions.isVisible()).to.equal(false);
  });

  it('can be printed twice, even if a drawing is not finished after ten seconds, and the page gets its title back each time', async () => {
    const page = await visitDemoWithTurns([turn('Where do we stand?')]);
    const reply = page.getByRole('article', { name: 'Assistant' });
    await reply.waitFor();
    await page.evaluate(() => {
      window.print = () => {
        document.body.dataset.printed = `${document.body.dataset.printed ?? ''}${document.title}`;
        window.dispatchEvent(new Event('afterprint'));
      };
    });
    const title = await page.title();
    for (const times of [1, 2]) {
      await page.keyboard.press('Control+p');
      await page.locator(`body[data-printed="${'Where do we stand?'.repeat(times)}"]`).waitFor();
      expect(await page.title()).to.equal(title);
    }

    await reply.evaluate((reply) => {
      const drawing = document.createElement('p');
      drawing.dataset.unfinished = '';
      reply.append(drawing);
    });
    await freezeClock(page);
    const printed = () => page.evaluate(() => document.body.dataset.printed);
    const before = await printed();
    for (let presses = 0; presses < 2; presses += 1) {
      await page.keyboard.press('Control+p');
      await page.locator('html[data-drawing-everything]').waitFor();
    }
    await page.clock.runFor(9900);
    expect(await printed()).to.equal(before);
    await page.clock.runFor(100);
    await page.locator('html:not([data-drawing-everything])').waitFor();
    expect(await printed()).to.equal(`${before}Where do we stand?`);
  });
});
