import { removeSharedProduct } from './product.ts';
import { closeBrowser, closeVisits } from './visit.ts';

export { mochaGlobalSetup } from './global-setup.ts';

/** Run in every worker process. `afterAll` runs after each file. */
export const mochaHooks = {
  afterEach: closeVisits,

  async afterAll() {
    await closeBrowser();
    await removeSharedProduct();
  },
};
