import { describe } from 'mocha';
import { definePackageTests } from '../e2e/support/package-page.ts';
import { perSuite } from '../support/per-suite.ts';
import { openWebKit } from '../support/webkit-process.ts';

describe('The package advisory-chat-client on a plain page with an import map', () => {
  const page = perSuite(() => openWebKit());
  definePackageTests(async () => page);
});
