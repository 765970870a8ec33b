import { buildClientIfStale } from '../../../server/pages/client-build.ts';
import { migratedCluster } from '../../support/migrated-cluster.ts';
import { root } from '../../support/served-process.ts';
import { removeSharedProduct } from './product.ts';
import { closeChromium, endVisits } from './visit.ts';

/** Runs once, before the processes that have the tests: what both need is made by one. */
export async function mochaGlobalSetup(): Promise<void> {
  await buildClientIfStale(root);
  await migratedCluster();
}

/** Run in each of these processes; what is after all comes after each file. */
export const mochaHooks = {
  afterEach: endVisits,

  async afterAll() {
    await closeChromium();
    await removeSharedProduct();
  },
};
