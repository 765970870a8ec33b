import { buildClientIfStale } from '../../../server/pages/client-build.ts';
import { loadMigratedCluster } from '../../support/migrated-cluster.ts';
import { root } from '../../support/served-process.ts';

/** Runs once, before the worker processes start, so that they do not build the same files concurrently. */
export async function mochaGlobalSetup(): Promise<void> {
  await buildClientIfStale(root);
  await loadMigratedCluster();
}
