import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { diagramPage, pages } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { eventually } from '../support/eventually.ts';
import { openClipboard } from './support/clipboard.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import {
  drawsAtOnce,
  flow,
  longText,
  mockDiagrams,
  neverDraws,
  noExtraHeaders,
  openDiagramFrame,
  visitWithDiagrams,
} from './support/diagrams.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { copiedPictureTypes, savedPicture } from './support/pictures.ts';
import { printableArea } from './support/printable-area.ts';
import { sharedProduct } from './support/product.ts';
import { boxOf, topOf, untilRendered, untilShown } from './support/rendering.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';
import { openContext, phone, visit } from './support/visit.ts';

describe('a Mermaid block in a reply', () => {
  it('is drawn in the theme of the page, shows its source, and opens and closes enlarged in each usual way', async () => {
    const page = await visitWithDiagrams(`The flow:\n\n${flow}\n\nThe end.`);
    const diagram = page.frameLocator('iframe[title="Diagram"]');
    const code = page.getByText('A[Order] --> B[Ship]');
    const enlarge = page.getByRole('button', { name: 'Enlarge' });
    await page.getByRole('button', { name: 'Show source' }).click();
    await code.waitFor();
    await page.getByRole('button', { name: 'Show diagram' }).click();
    await code.waitFor({ state: 'hidden' });
    expect(await page.getByRole('button', { name: 'Copy code' }).count()).to.equal(0);
    expect(await enlarge.count()).to.equal(1);
    await diagram.getByText('Order', { exact: true }).waitFor();
    const { left, right, top, bottom, height } = await boxOf(page.locator('iframe'));
    const drawnHeight = await diagram.locator('#diagram').evaluate(({ clientHeight }) => clientHeight);
    expect(height).to.be.closeTo(drawnHeight, 1);

    const background = () => diagram.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
    expect(await background()).to.equal('rgb(255, 255, 255)');
    await page.evaluate(() => Object.assign(document.documentElement.dataset, { theme: 'dark' }));
    await diagram.locator('html[data-drawn="dark"]').waitFor();
    expect(await background()).to.equal('rgb(29, 35, 34)');

    const drawing = page.getByRole('group', { name: 'Diagram' });
    const dialog = page.getByRole('dialog', { name: 'Diagram' });
    const close = dialog.getByRole('button', { name: 'Close' });
    const clickFrame = () => page.mouse.click((left + right) / 2, (top + bottom) / 2);
    const ways = [
      { opener: drawing, open: clickFrame, close: () => page.mouse.click(3, 3) },
      { opener: drawing, open: () => drawing.press('Enter'), close: () => page.keyboard.press('Escape') },
      { opener: enlarge, open: () => enlarge.click(), close: () => close.click() },
    ];
    const { width } = await boxOf(diagram.locator('#diagram > svg'));
    for (const way of ways) {
      // Safari does not focus a clicked button.
      await way.opener.focus();
      // The browser sends a click to the frame that is at its place in the last presented picture of the page.
      await untilRendered(page);
      await way.open();
      const picture = dialog.getByRole('img', { name: 'Diagram' });
      await picture.waitFor();
      await page.waitForFunction((image) => image?.clientWidth, await picture.elementHandle());
      expect((await boxOf(picture)).width).to.be.greaterThan(1.5 * width);
      await way.close();
      await dialog.waitFor({ state: 'detached' });
      expect(await isFocused(way.opener)).to.equal(true);
    }

    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands and conversations' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save image' }).focus();
    for (let presses = 0; presses < 3; presses += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.tagName)).to.not.equal('IFRAME');
    }
  });

  it('is drawn before a conversation whose earlier turns are not rendered yet is printed, with the menu or the keyboard', async () => {
    const diagrams = [1, 2, 3].map((number) => turn(`Diagram ${number}?`, flow.replace('Order', `Order ${number}`)));
    const others = Array.from({ length: 30 }, (_, index) => turn(`Question ${index}?`, 'A long reply. '.repeat(60)));
    const page = await visitDemoWithTurns([...diagrams, ...others], noExtraHeaders, async (page) => {
      await mockDiagrams(page);
      await page.addInitScript(() => {
        // Prevents the rendering of turns out of view in idle time.
        window.requestIdleCallback = () => 0;
        window.print = () => {
          const codes = document.querySelectorAll('figure pre');
          const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true });
          document.body.dataset.printed = JSON.stringify({
            title: document.title,
            codes: Array.from(codes).filter(isVisible).length,
            frames: Array.from(document.querySelectorAll('iframe')).filter(isVisible).length,
          });
        };
      });
    });
    const last = page.getByRole('article', { name: 'You' }).last();
    await last.waitFor();
    const printFromMenu = async () => {
      await page.getByRole('button', { name: 'Conversation actions' }).click();
      await page.getByRole('menuitem', { name: 'Print' }).click();
    };
    for (const print of [printFromMenu, () => page.keyboard.press('Control+p')]) {
      await page.evaluate(() => delete document.body.dataset.printed);
      await untilRendered(page);
      const top = await topOf(last);
      await print();
      const printed = await page.locator('body[data-printed]').getAttribute('data-printed');
      expect(JSON.parse(printed ?? '')).to.deep.equal({ title: 'Diagram 1?', codes: 0, frames: 3 });
      expect(await topOf(last)).to.be.closeTo(top, 1);
    }
  });

  it('is legible and 24 px from the edges of its frame, in every kind of diagram', async () => {
    const title = 'A title that is wider than all that is drawn below it, on a desktop';
    const word = 'Auftragsbestätigung';
    const steps = 'ABCDEFG'.split('').map((step) => `${step}[Step ${step} of the order] -->|weekly| `);
    const kinds = {
      pie: 'pie\n  "Waiting" : 60\n  "Work" : 40',
      flowchart: `flowchart LR\n  A[${word}] --> B`,
      sequence: 'sequenceDiagram\n  A->>B: Order',
      journey: `journey\n  title ${title}\n  section Plan\n    Ask: 5: Ann`,
      timeline: 'timeline\n  title Plan\n  2021 : Order\n  2022 : Ship',
      gantt: 'gantt\n  dateFormat YYYY-MM-DD\n  Order :2020-01-01, 30d',
      radar: `radar-beta\n  axis a, b, c\n  curve x["${title}"]{1, 2, 3}`,
      state: `stateDiagram-v2\n  ${word} --> Shipped : starts\n  Shipped : The order has left, and the customer has been told`,
      'wide flowchart': `flowchart LR\n  ${steps.join('')}H[Ship]`,
      'XY chart': 'xychart-beta\n  x-axis [Mon, Tue]\n  bar [1, 2]\n  line [2, 1]',
    };
    const draw = await openDiagramFrame();
    const drawingOf = (kind: keyof typeof kinds) => draw(kinds[kind]);

    for (const kind of ['pie', 'flowchart', 'sequence', 'journey', 'timeline', 'gantt', 'radar'] as const) {
      const margins = await (await drawingOf(kind)).evaluate((box) => {
        const shapes = box.querySelectorAll<SVGGraphicsElement>(
          'svg :is(text, path, rect, circle, line):not(defs *, marker *, .today)',
        );
        // `getBoundingClientRect` includes the stroke in Firefox only.
        const boxes = Array.from(shapes, (shape) => {
          const { x, y, width, height } = shape.getBBox();
          const { a, d, e, f } = shape.getScreenCTM() ?? new DOMMatrix();
          return { left: e + a * x, top: f + d * y, right: e + a * (x + width), bottom: f + d * (y + height) };
        }).filter(({ left, top, right, bottom }) => right > left || bottom > top);
        const scrolledWidth = box.getBoundingClientRect().left + box.scrollWidth;
        return {
          top: Math.min(...boxes.map(({ top }) => top)),
          bottom: innerHeight - Math.max(...boxes.map(({ bottom }) => bottom)),
          start: Math.min(...boxes.map(({ left }) => left)),
          end: scrolledWidth - Math.max(...boxes.map(({ right }) => right)),
        };
      });
      expect(margins.top, `${kind}, top`).to.be.closeTo(24, 1.5);
      expect(margins.bottom, `${kind}, bottom`).to.be.closeTo(24, 1.5);
      expect(margins.start, `${kind}, start`).to.be.at.least(22);
      expect(margins.end, `${kind}, end`).to.be.at.least(22);
    }

    for (const kind of ['flowchart', 'state'] as const) {
      const lines = await (await drawingOf(kind)).locator('.node .text-outer-tspan').allTextContents();
      expect(lines, `the unbroken word in the ${kind}`).to.include(word);
    }
    const state = await drawingOf('state');
    const offsets = await state.locator('.statediagram-state').evaluateAll((states) =>
      states.flatMap((state) => {
        const middle = ({ left, right }: DOMRect) => (left + right) / 2;
        const box = middle((state.querySelector('rect') ?? state).getBoundingClientRect());
        const lines = state.querySelectorAll('.text-outer-tspan');
        return Array.from(lines, (line) => middle(line.getBoundingClientRect()) - box);
      }),
    );
    expect(offsets).to.have.length.above(2);
    for (const offset of offsets) expect(offset, 'a label of a state, from the middle of its box').to.be.closeTo(0, 2);
    const stylesOf = (drawing: Locator, part: string, property: string) =>
      drawing
        .locator(part)
        .evaluateAll(
          (parts, property) => parts.map((part) => getComputedStyle(part).getPropertyValue(property)),
          property,
        );
    const white = 'rgb(255, 255, 255)';
    expect((await stylesOf(state, '.edgeLabel .label rect', 'fill'))[0]).to.equal(white);
    expect((await stylesOf(state, '.edgeLabel .label rect', 'opacity'))[0]).to.equal('1');
    const wide = await drawingOf('wide flowchart');
    expect((await stylesOf(wide, '.edgeLabel rect', 'fill'))[0]).to.equal(white);
    expect((await stylesOf(wide, '.flowchart-link', 'stroke-width'))[0]).to.equal('1.5px');
    expect((await stylesOf(wide, '.flowchart-link', 'vector-effect'))[0]).to.equal('non-scaling-stroke');
    const textSize = await wide.locator('> svg').evaluate((svg: SVGSVGElement) => {
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      return scale * Number.parseFloat(getComputedStyle(svg.querySelector('.nodeLabel, .node text') ?? svg).fontSize);
    });
    expect(textSize).to.be.closeTo(11.2, 0.05);
    const timeline = await drawingOf('timeline');
    expect(await stylesOf(timeline, '.lineWrapper line', 'stroke')).to.deep.equal(Array(3).fill('rgb(28, 35, 33)'));
    const chart = await drawingOf('XY chart');
    const series = await chart.evaluate((box) =>
      [0, 1].map((index) => {
        const probe = document.createElement('i');
        probe.style.color = `var(--series-${index})`;
        box.append(probe);
        return getComputedStyle(probe).color;
      }),
    );
    expect((await stylesOf(chart, '.plot rect', 'fill'))[0]).to.equal(series[0]);
    expect((await stylesOf(chart, '.plot path', 'stroke'))[0]).to.equal(series[1]);
  });

  it('fits a phone: its edges fade where more is hidden, and its enlarged view switches between whole and natural size', async () => {
    const names = ['A share whose name takes room', 'Another share'];
    const steps = Array.from({ length: 9 }, (_, index) => `S${index}[Step ${index}] --> S${index + 1}\n`).join('');
    const page = await visitWithDiagrams(
      `\`\`\`mermaid\nflowchart LR\n${steps}\`\`\``,
      `\`\`\`mermaid\npie\n  "${names[0]}" : 60\n  "${names[1]}" : 40\n\`\`\``,
    );
    await page.getByRole('button', { name: 'Show source' }).nth(1).waitFor();
    await page.setViewportSize(phone.viewport);
    const boxes = page.getByRole('group', { name: 'Diagram' });
    const fade = (side: 'start' | 'end') => boxes.and(page.locator(`[data-more-${side}]`));
    await fade('end').waitFor();
    expect(await fade('start').count()).to.equal(0);
    await boxes.first().evaluate((element) => element.scrollTo(element.scrollWidth, 0));
    await fade('start').waitFor();
    expect(await fade('end').count()).to.equal(0);

    await page.getByRole('button', { name: 'Enlarge' }).first().click();
    const view = page.getByRole('dialog').getByRole('group', { name: 'Diagram' });
    const box = await view.elementHandle();
    /** Resolves once the drawing is wider than the view, or no longer is. */
    const isScrolling = (expected: boolean) =>
      page.waitForFunction(
        ({ box, expected }) => {
          const isDrawn = (box?.querySelector('img')?.clientWidth ?? 0) > 0;
          return box && isDrawn && box.scrollWidth > 2 * box.clientWidth === expected;
        },
        { box, expected },
      );
    await isScrolling(false);
    await view.click();
    await isScrolling(true);
    await view.press('Enter');
    await isScrolling(false);
    await view.press('Enter');
    await isScrolling(true);
    await view.press('ArrowRight');
    await page.waitForFunction((box) => box && box.scrollLeft > 0, box);
    await page.keyboard.press('Escape');

    const frame = page.frameLocator('iframe >> nth=1');
    await eventually(async () => {
      const pie = await boxOf(frame.locator('.pieOuterCircle'));
      const labels = await Promise.all(names.map((name) => boxOf(frame.getByText(name, { exact: true }))));
      return labels.every(({ top, right }) => top > pie.bottom && right < phone.viewport.width) || undefined;
    });
  });

  it('grows upwards at the top of the window, so that the text below it does not move', async () => {
    const lines = Array.from({ length: 40 }, (_, step) => `  S${step} --> S${step + 1}\n`).join('');
    const release = Promise.withResolvers<void>();
    const page = await visit(pages.demo, undefined, noExtraHeaders);
    await page.route(diagramPage.path, async (route) => {
      await release.promise;
      await route.fulfill({ contentType: 'text/html', body: drawsAtOnce(2000) });
    });
    await answerWith(page, `\`\`\`mermaid\nflowchart TD\n${lines}\`\`\`\n\nBelow it.\n\n${longText(2)}`);
    await conversationOn(page).ask('How does an order flow?');
    const below = page.getByText('Below it.');
    await page.locator('iframe').waitFor({ state: 'attached' });
    await below.evaluate((element) => {
      window.scrollBy({ top: element.getBoundingClientRect().top - 400, behavior: 'instant' });
    });
    await untilRendered(page);
    const top = await topOf(below);
    release.resolve();
    await page.getByText('Show source').waitFor({ state: 'attached' });
    await untilRendered(page);
    expect(await topOf(below)).to.be.closeTo(top, 1);
  });

  it('keeps its height while it is drawn again because the user returns to the version of the reply that contains it', async () => {
    const { page, ask } = await visitDemo();
    await mockDiagrams(page, drawsAtOnce(300));
    await answerWith(page, flow, 'A reply without a diagram.');
    await ask('How does an order flow?');
    await untilShown(page.getByRole('button', { name: 'Show source' }));
    const figure = page.getByRole('figure', { name: 'Diagram' });
    const drawn = await boxOf(figure);
    await page.getByRole('button', { name: 'Try again' }).last().click();
    await page.getByText('A reply without a diagram.').waitFor();
    await mockDiagrams(page, neverDraws);
    await page.getByRole('button', { name: 'Previous version of this reply' }).click();
    await page.frameLocator('iframe').getByText('Connected').waitFor({ state: 'attached' });
    expect((await boxOf(figure)).height).to.equal(drawn.height);
  });

  it('keeps its colors in forced-colors mode, and is light when it is copied, saved or printed', async function () {
    needs(this, 'media emulation', 'clipboard permissions', 'downloads');

    const draw = await openDiagramFrame();
    const [flow, pie] = ['flowchart LR\n  A[Order] --> B[Ship]', 'pie\n  "North" : 50\n  "South" : 30\n  "West" : 20'];
    const fillsOf = async (source: string, selector: string) =>
      (await draw(source))
        .locator(selector)
        .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).fill));
    const fills = async () => [
      ...(await fillsOf(flow, '.node rect, .node text')),
      ...(await fillsOf(pie, '.pieCircle')),
    ];
    const usual = await fills();
    const page = (await draw(flow)).page();
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await fills()).to.deep.equal(usual);
    expect(new Set(usual).size).to.be.at.least(5);
    await page.emulateMedia({ forcedColors: 'none' });

    const days = Array.from({ length: 12 }, (_, day) => `  Day ${day} :2026-11-${day + 10}, 1d\n`).join('');
    const gantt = await draw(`gantt\n  dateFormat YYYY-MM-DD\n  tickInterval 1day\n${days}`);
    const ticks = await gantt.locator('> svg').evaluate((svg: SVGSVGElement) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const texts = Array.from(svg.querySelectorAll('.grid .tick text'), (text) => text.getBoundingClientRect());
      const [first, second] = texts;
      const between = first &&
        second && {
          left: (first.right - box.left) * scale + 2,
          right: (second.left - box.left) * scale - 2,
          top: (first.top - box.top) * scale,
          bottom: (first.bottom - box.top) * scale,
        };
      return { dates: texts.length, between };
    });
    expect(ticks.dates).to.be.within(5, 9);
    expect((await savedPicture(page, ticks.between)).colors).to.deep.equal(['255,255,255,255']);

    await openClipboard(page);
    await draw(flow, 'system');
    await page.emulateMedia({ colorScheme: 'dark' });
    const drawnDark = page.frameLocator('iframe').locator('html[data-drawn="dark"]');
    await drawnDark.waitFor();
    const picture = await savedPicture(page);
    expect(picture.name).to.equal('How does an order flow.png');
    expect(await drawnDark.locator('svg').count()).to.equal(1);
    expect(picture.corner).to.deep.equal([255, 255, 255, 255]);
    expect(picture.colors).to.include.members(['227,238,236,255', '28,35,33,255']);
    expect(await copiedPictureTypes(page)).to.deep.equal(['image/png']);

    await page.emulateMedia({ colorScheme: 'light' });
    await draw(`flowchart LR\n  A[Order] --> ${'ABCDEFGHIJ'.split('').join(' --> ')}`, 'dark');
    await page.setViewportSize(printableArea);
    await page.emulateMedia({ media: 'print' });
    const frame = page.frameLocator('iframe');
    await frame.getByText('Order', { exact: true }).waitFor();
    // While a browser prints, no script updates the marks of the window's layout.
    await frame.locator('#diagram').evaluate((box) => box.toggleAttribute('data-more-end', true));
    const svg = frame.locator('#diagram > svg');
    const printed = await svg.evaluate((svg) => ({
      isCut: svg.getBoundingClientRect().right > window.innerWidth,
      isFaded: getComputedStyle(svg.parentElement ?? svg).maskImage !== 'none',
      paper: getComputedStyle(document.body).backgroundColor,
      isInverted: getComputedStyle(svg).filter.includes('invert(1)'),
    }));
    expect(printed).to.deep.equal({ isCut: false, isFaded: false, paper: 'rgb(255, 255, 255)', isInverted: true });
    const block = page.getByRole('figure', { name: 'Diagram' });
    expect(await block.evaluate((element) => getComputedStyle(element).breakInside)).to.equal('avoid');
    expect((await boxOf(svg)).height).to.be.greaterThan(15);
    expect(await page.getByText('A[Order] --> B[Ship]').isVisible()).to.equal(false);
    expect(await block.getByRole('button').count()).to.equal(0);

    await page.emulateMedia({ media: 'screen' });
    const steps = Array.from({ length: 30 }, (_, step) => `  S${step}[Step ${step}] --> S${step + 1}\n`).join('');
    await draw(`flowchart TD\n${steps}`);
    await page.emulateMedia({ media: 'print' });
    // The frame lays out its own page for the new size.
    const height = await eventually(async () => {
      const { height } = await boxOf(page.locator('iframe'));
      return height <= printableArea.height && (await boxOf(svg)).height < height ? height : undefined;
    });
    expect(height).to.be.above(0.4 * printableArea.height);
  });
});

describe('the diagram page', () => {
  it('reaches neither the page around it, nor storage, nor the network, even in a frame that is not sandboxed', async () => {
    // This test does not use `visit`, which would report the violations that this test causes.
    const { url } = await sharedProduct();
    const context = await openContext({ baseURL: url });
    const page = await context.newPage();
    await page.goto(pages.demo);
    await page.evaluate(
      (src) => document.body.append(Object.assign(document.createElement('iframe'), { src })),
      diagramPage.path,
    );
    const frame = page.frameLocator('iframe').locator('body');
    const reached = await frame.evaluate(async () => {
      const attempts: Record<string, () => unknown> = {
        page: () => parent.document.title,
        storage: () => localStorage.length,
        cookies: () => document.cookie,
        network: () => fetch('/auth/session'),
        'another window': () => {
          if (window.open('/') === null) throw new Error('The browser blocked the window.');
        },
      };
      const reached = [];
      for (const [name, attempt] of Object.entries(attempts)) {
        try {
          await attempt();
          reached.push(name);
        } catch {
          // The frame cannot reach it.
        }
      }
      return reached;
    });
    expect(reached).to.deep.equal([]);
    await context.close();
  });

  it('is not fetched for a reply without diagrams, and the source of a diagram is shown while it grows', async () => {
    const { page, ask } = await visitDemo();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await answerWith(page, '```js\nlet a;\n```', flow.slice(0, -3));
    await ask('And now?');
    await page.getByRole('button', { name: 'Copy code' }).waitFor();
    expect(requests).to.not.be.empty;
    expect(requests.filter((url) => url.includes('diagram'))).to.deep.equal([]);
    await ask('How does an order flow?');
    await page.getByText('A[Order] --> B[Ship]').waitFor();
  });
});
