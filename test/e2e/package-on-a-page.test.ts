import { describe } from 'mocha';
import { perTest } from '../support/per-suite.ts';
import { definePackageTests } from './support/package-page.ts';
import { openContext } from './support/visit.ts';

describe('The package advisory-chat-client on a plain page with an import map', () => {
  const profile = perTest(async () => {
    const context = await openContext({});
    return { page: await context.newPage(), close: () => context.close() };
  });
  definePackageTests(async () => profile.page);
});
