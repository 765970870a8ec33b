import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { BrowserContext, Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
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

  it('makes no markup of text, no policy that would, and no worker', async () => {
    await page.goto(pages.demo);
    await page.getByRole('textbox').first().waitFor();
    const raised = await page.evaluate(() => {
      const { trustedTypes } = window as { trustedTypes?: { createPolicy(name: string, rules: object): void } };
      const attempts = [
        () => Object.assign(document.body, { innerHTML: '<img src="x">' }),
        ...['another', 'default'].map((name) => () => trustedTypes?.createPolicy(name, {})),
        () => new Worker('/worker.js'),
      ];
      return attempts.map((attempt) => {
        try {
          attempt();
          return 'nothing';
        } catch (error) {
          return String(error);
        }
      });
    });
    expect(raised).to.have.length(4);
    for (const sentence of raised) expect(sentence).to.match(/^TypeError: .*(Trusted|[Pp]olicy)/);
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
