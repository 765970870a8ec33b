import { expect } from 'chai';
import { describe, it } from 'mocha';
import { turn } from '../client/chat/turns.ts';
import { noExtraHeaders } from './support/diagrams.ts';
import { tabTo } from './support/focus.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';

const formats = [
  '| Plant | Cost |\n|-|-|\n| A | 5 |\n| B | 7 |',
  '```mermaid\nflowchart LR\n  A --> B\n```',
  '```sql\nselect 1\n```',
];

const turns = [
  turn('Which plants?', formats.join('\n\n')),
  turn('And now?', 'Count', { ending: { type: 'interrupted', requestId: '01JD-EXAMPLE' } }),
];

describe('The actions of a conversation', () => {
  for (const { device, options, size } of [
    { device: 'a desktop', options: { viewport: { width: 1280, height: 1600 } }, size: 32 },
    {
      device: 'a phone',
      options: { viewport: { width: 390, height: 2000 }, hasTouch: true, isMobile: true },
      size: 44,
    },
  ]) {
    it(`look alike, and are at least ${size} pixels wide and high, on ${device}`, async () => {
      const page = await visitDemoWithTurns(turns, { ...options, ...noExtraHeaders });
      await page.getByRole('button', { name: 'Show source' }).waitFor();
      await page.getByRole('button', { name: 'Show chart' }).click();
      await page.getByRole('img', { name: /^Bar chart/ }).waitFor();
      const actions = await page
        .getByRole('log')
        .getByRole('button')
        .evaluateAll((buttons) =>
          buttons.map((button) => {
            const { padding, borderRadius, borderWidth, fontSize, minHeight } = getComputedStyle(button);
            const { width, height } = button.getBoundingClientRect();
            const form = [padding, borderRadius, borderWidth, fontSize, minHeight].join(' ');
            return { name: button.textContent, form, width, height };
          }),
        );
      expect(actions.map(({ name }) => name)).to.include.members([
        'Continue',
        'Save image',
        'Copy code',
        'Edit question',
      ]);
      expect(new Set(actions.map(({ form }) => form)).size).to.equal(1);
      expect(actions.filter(({ width, height }) => width < size || height < size)).to.deep.equal([]);
    });
  }

  it('have tooltips on hover and on keyboard focus, which stay within the window', async () => {
    const [table, , code] = formats;
    const page = await visitDemoWithTurns([turn('Which plants?', `${table}\n\n${code}`)], {
      viewport: { width: 640, height: 1000 },
    });
    for (const name of ['Copy table', 'Copy code', 'Try again']) {
      const action = page.getByRole('button', { name }).last();
      const label = action.getByText(name);
      const isShown = () =>
        label.evaluate((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          return getComputedStyle(element).opacity === '1' && width > 40 && left >= 0 && right <= window.innerWidth;
        });
      await action.waitFor();
      expect(await isShown(), name).to.equal(false);
      await action.hover();
      await label.and(page.locator(':hover > *')).waitFor();
      await page.waitForFunction(
        (element) => element && getComputedStyle(element).opacity === '1',
        await label.elementHandle(),
      );
      expect(await isShown(), name).to.equal(true);
      await page.mouse.move(0, 0);
      expect(await isShown(), name).to.equal(false);
      await tabTo(page, action);
      expect(await isShown(), name).to.equal(true);
    }
  });
});
