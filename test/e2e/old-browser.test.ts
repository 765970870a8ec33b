import { expect } from 'chai';
import { describe, it } from 'mocha';
import { browserNotice } from '../../client/language/browser-notice.ts';
import { browserList } from '../../shared/browsers.ts';
import { pages } from '../../shared/interface.ts';
import { visit } from './support/visit.ts';

describe('The page in a browser without a feature that it needs', () => {
  it('names the browsers that work, in the language of the browser, and does not start', async () => {
    const page = await visit('about:blank', undefined, { locale: 'ar' });
    await page.addInitScript(() => Reflect.deleteProperty(Promise, 'withResolvers'));
    await page.goto(pages.demo);
    const notice = page.getByText(browserNotice.ar);
    expect(await notice.textContent()).to.equal(`${browserNotice.ar} ${browserList}`);
    expect(await notice.getAttribute('dir')).to.equal('rtl');
    expect(await page.getByRole('textbox').count()).to.equal(0);
    // The place of the demo's notice, which is empty here.
    expect(await page.locator('.demo-band').evaluate((band) => band.checkVisibility())).to.equal(false);
  });
});
