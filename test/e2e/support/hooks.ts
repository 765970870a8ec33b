import { fileURLToPath } from 'node:url';
import { buildClientIfStale } from '../../../server/pages/client-build.ts';
import { closeChromium } from './chromium.ts';
import { removeSharedProduct } from './product.ts';
import { endVisits } from './visit.ts';

/** Runs once, before the processes that have the tests: two of them must not build at the same time. */
export async function mochaGlobalSetup(): Promise<void> {
  await buildClientIfStale(fileURLToPath(new URL('../../..', import.meta.url)));
}

/** Run in each of these processes; what is after all comes after each file. */
export const mochaHooks = {
  afterEach: endVisits,

  async afterAll() {
    await closeChromium();
    await removeSharedProduct();
  },
};
