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

  it('makes no markup of text, no policy that would, and none of its own once more', async () => {
    await page.goto(pages.demo);
    await page.getByRole('textbox').first().waitFor();
    const raised = await page.evaluate((own) => {
      const attempts = [
        () => Object.assign(document.body, { innerHTML: '<img src="x">' }),
        ...['another', 'default', own].map(
          (name) => () => window.trustedTypes?.createPolicy(name, { createScriptURL: () => 'data:,' }),
        ),
      ];
      return attempts.map((attempt) => {
        try {
          attempt();
          return 'nothing';
        } catch (error) {
          return String(error);
        }
      });
    }, trustedTypesPolicy);
    expect(raised).to.have.length(4);
    for (const sentence of raised) expect(sentence).to.match(/^TypeError: .*(TrustedHTML|[Pp]olicy)/);
  });

  it('runs no script that is written into it', async () => {
    await page.route(pages.demo, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('<body>', '<body><script>window.name = "taken"</script>');
      await route.fulfill({ response, body });
    });
    await page.goto(pages.demo);
    await page.getByRole('textbox').first().waitFor();
    expect(await page.content()).to.include('window.name');
    expect(await page.evaluate(() => window.name)).to.equal('');
  });
});
