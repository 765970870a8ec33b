import { buildClientIfStale } from '../../../server/pages/client-build.ts';
import { loadMigratedCluster } from '../../support/migrated-cluster.ts';
import { root } from '../../support/served-process.ts';
import { removeSharedProduct } from './product.ts';
import { closeBrowser, closeVisits } from './visit.ts';

/** Runs once, before the worker processes start, so that they do not build the same files concurrently. */
export async function mochaGlobalSetup(): Promise<void> {
  await buildClientIfStale(root);
  await loadMigratedCluster();
}

/** Run in every worker process. `afterAll` runs after each file. */
export const mochaHooks = {
  afterEach: closeVisits,

  async afterAll() {
    await closeBrowser();
    await removeSharedProduct();
  },
};
