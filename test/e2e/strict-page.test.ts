import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { BrowserContext, Page } from 'playwright-core';
import { pages, trustedTypesPolicy } from '../../shared/interface.ts';
import { sharedProduct } from './support/product.ts';
import { launchedChromium } from './support/visit.ts';

describe('a page of the product', () => {
  let context: BrowserContext;
  let page: Page;

  // Not by `visit`, which takes the browser's complaints for failures: here they are the point.
  beforeEach(async () => {
    const { url } = await sharedProduct();
    context = await (await launchedChromium()).newContext({ baseURL: url });
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const open = async () => {
    await page.goto(pages.demo);
    await page.getByRole('textbox').first().waitFor();
  };

  it('makes no markup of text', async () => {
    await open();
    const raised = await page.evaluate(() => {
      try {
        document.body.innerHTML = '<img src="x">';
      } catch (error) {
        return String(error);
      }
      return 'nothing';
    });
    expect(raised).to.match(/^TypeError: .*TrustedHTML/);
  });

  it('makes no policy that would, nor its own once more', async () => {
    await open();
    for (const name of ['another', 'default', trustedTypesPolicy]) {
      const raised = await page.evaluate((policy) => {
        try {
          window.trustedTypes?.createPolicy(policy, { createScriptURL: () => 'data:,' });
        } catch (error) {
          return String(error);
        }
        return 'nothing';
      }, name);
      expect(raised, name).to.match(/^TypeError: .*[Pp]olicy/);
    }
  });

  it('runs no script that is written into it', async () => {
    await page.route(pages.demo, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('<body>', '<body><script>window.name = "taken"</script>');
      await route.fulfill({ response, body });
    });
    await open();
    expect(await page.content()).to.include('window.name');
    expect(await page.evaluate(() => window.name)).to.equal('');
  });
});
