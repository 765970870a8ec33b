import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { sharedProduct } from './support/product.ts';
import { openContext } from './support/visit.ts';

describe('Every page', () => {
  it('runs no injected script, and prevents its own scripts from parsing HTML, creating policies and starting workers', async () => {
    // Does not use `visit`, which would report the violations that this test causes.
    const { url } = await sharedProduct();
    const context = await openContext({ baseURL: url });
    const page = await context.newPage();
    await page.route(pages.demo, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('<body>', '<body><script>window.name = "taken"</script>');
      await route.fulfill({ response, body });
    });
    await page.goto(pages.demo);
    await page.getByRole('textbox').first().waitFor();
    expect(await page.content()).to.include('window.name');
    expect(await page.evaluate(() => window.name)).to.equal('');

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
    for (const sentence of raised) expect(sentence).to.match(/^TypeError: .*(Trusted|[Pp]olicy|blocked by CSP)/);
    await context.close();
  });
});
