import { describe } from 'mocha';
import { perTest } from '../support/per-suite.ts';
import { defineStopTests } from './support/stop-tests.ts';
import { openContext } from './support/visit.ts';

describe('Stop', () => {
  const profile = perTest(async () => {
    const context = await openContext({});
    return { page: await context.newPage(), close: () => context.close() };
  });
  defineStopTests(async () => profile.page);
});
