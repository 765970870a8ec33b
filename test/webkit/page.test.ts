import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { perSuite } from '../support/per-suite.ts';
import { button, keys } from '../support/webdriver.ts';
import { openWebKit } from '../support/webkit-process.ts';
import { ask, composer, exchange, openDemo, untilShown } from './support/conversation.ts';
import { startProduct } from './support/product.ts';

describe('The page', () => {
  const product = perSuite(() => startProduct());
  const page = perSuite(() => openWebKit());

  it('has a message field that grows with its text', async () => {
    await openDemo(page, product);
    const measure = () =>
      page.evaluate(() => {
        const { clientHeight, scrollHeight } = document.querySelector('textarea') ?? document.body;
        return { clientHeight, scrollHeight };
      });
    const single = await measure();
    await page.type(composer, 'One two three. '.repeat(20));
    const several = await measure();
    expect(several.clientHeight).to.be.above(2 * single.clientHeight);
    expect(several.scrollHeight).to.be.at.most(several.clientHeight);
    await page.press(keys.control, 'a');
    await page.press(keys.backspace);
    expect(await measure()).to.deep.equal(single);
  });

  it('opens without the service, shows the conversation, and says that the service cannot be reached', async () => {
    await using own = await startProduct();
    await page.goto(own.url + pages.demo);
    await page.waitFor(composer);
    await exchange(page, own, 'Where do we stand?', 'In week 3.');
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await page.reload();
    await page.until(() => navigator.serviceWorker.controller !== null);
    own.server.close();
    own.server.closeAllConnections();
    await page.reload();
    await untilShown(page, 'In week 3.');
    await ask(page, 'And then?');
    await untilShown(page, 'Couldn’t reach the service.');
  });

  it('applies a setting, and closes the settings and the palette on a press outside, in a narrow window', async () => {
    await page.resize({ width: 420, height: 850 });
    await openDemo(page, product);
    await page.click(button('Settings'));
    await page.click({ selector: 'label', name: 'Dark' });
    await page.until(() => document.documentElement.dataset.theme === 'dark');
    await page.press(keys.escape);
    await page.until(() => document.querySelector('dialog[open]') === null);

    await page.press(keys.control, 'k');
    await page.waitFor({ selector: '[role=option]' });
    const { bottom } = await page.evaluate(() => {
      const { bottom } = document.querySelector('dialog[open]')?.getBoundingClientRect() ?? { bottom: 0 };
      return { bottom: Math.round(bottom) };
    });
    await page.clickAt({ x: 200, y: bottom + 20 });
    await page.until(() => document.querySelector('dialog[open]') === null);
  });
});
