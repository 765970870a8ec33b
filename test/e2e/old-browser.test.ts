import { expect } from 'chai';
import { describe, it } from 'mocha';
import { browserNotice } from '../../client/language/browser-notice.ts';
import { languages, languageTags } from '../../client/language/languages.ts';
import { browserList } from '../../shared/browsers.ts';
import { pages } from '../../shared/interface.ts';
import { visit } from './support/visit.ts';

describe('The page in a browser without a feature that it needs', () => {
  for (const tag of languageTags) {
    it(`names the browsers that work, in ${languages[tag].name}, and does not start`, async () => {
      const page = await visit('about:blank', undefined, { locale: tag });
      await page.addInitScript(() => Reflect.deleteProperty(Promise, 'withResolvers'));
      await page.goto(pages.demo);
      const notice = page.getByText(browserNotice[tag]);
      expect(await notice.textContent()).to.equal(`${browserNotice[tag]} ${browserList}`);
      expect(await notice.getAttribute('dir')).to.equal(languages[tag].direction);
      expect(await page.getByRole('textbox').count()).to.equal(0);
      // The place of the demo's notice, which is empty here.
      expect(await page.locator('.demo-band').isVisible()).to.equal(false);
    });
  }
});
