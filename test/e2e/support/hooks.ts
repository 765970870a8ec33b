import { closeVisits } from './visit.ts';

export { mochaGlobalSetup } from './global-setup.ts';

export const mochaHooks = { afterEach: closeVisits };
