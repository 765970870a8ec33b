import { describe } from 'mocha';
import { defineStopTests } from '../e2e/support/stop-tests.ts';
import { perSuite } from '../support/per-suite.ts';
import { openWebKit } from '../support/webkit-process.ts';

describe('Stop', () => {
  const page = perSuite(() => openWebKit());
  defineStopTests(async () => page);
});
