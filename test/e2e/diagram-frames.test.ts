import { expect } from 'chai';
import { describe, it } from 'mocha';
import { turn } from '../client/chat/turns.ts';
import { flow, longText, noExtraHeaders, visitWithDiagrams } from './support/diagrams.ts';
import { needs } from './support/engine.ts';
import { topOf } from './support/rendering.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';
import { phone } from './support/visit.ts';

describe('the frame of a diagram', () => {
  it('is one of at most twelve; elsewhere the diagram is a picture, also in print', async () => {
    const flows = Array.from({ length: 13 }, (_, index) => flow.replace('Order', `Order ${index}`));
    const page = await visitWithDiagrams(...flows);
    await page.evaluate(() => {
      window.print = () => {
        document.body.dataset.printed = String(document.querySelectorAll('.diagram[data-unfinished]').length);
      };
    });
    await page.getByRole('button', { name: 'Show source' }).first().waitFor();
    await page.keyboard.press('Control+p');
    expect(await page.locator('body[data-printed]').getAttribute('data-printed')).to.equal('0');
    expect(await page.locator('iframe').count()).to.be.within(1, 12);
    expect(await page.locator('.diagram :is(iframe, img)').count()).to.be.at.least(13);
    const last = page.locator('.code-block').last();
    await last.scrollIntoViewIfNeeded();
    await last.frameLocator('iframe').getByText('Order 12', { exact: true }).waitFor();
    await page.locator('.code-block').first().scrollIntoViewIfNeeded();
    await page.locator('.code-block').first().frameLocator('iframe').getByText('Order 0', { exact: true }).waitFor();
    expect(await page.locator('iframe').count()).to.be.within(1, 12);
  });

  it('draws when the page is idle, even out of reach, so that the browser can print the diagram', async () => {
    const page = await visitDemoWithTurns(
      [turn('How does an order flow?', flow), turn('And then?', longText(8)), turn('And the end?', 'The end.')],
      noExtraHeaders,
    );
    await page.getByText('Show source').waitFor({ state: 'attached' });
    expect(await topOf(page.locator('.code-block'))).to.be.below(-3 * (page.viewportSize()?.height ?? 0));
  });

  it('draws while it is still a window and a half above the viewport', async function () {
    needs(this, 'lazy frames that load two windows ahead');
    const page = await visitDemoWithTurns(
      [turn('How does an order flow?', flow), turn('And then?', longText(2)), turn('And the end?', 'The end.')],
      { ...noExtraHeaders, ...phone },
    );
    await page.getByText('Show source').waitFor({ state: 'attached' });
    expect(await topOf(page.locator('.code-block'))).to.be.below(-1.5 * phone.viewport.height);
  });
});
