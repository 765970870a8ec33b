import { describe } from 'mocha';
import { defineStopTests } from '../e2e/support/stop-tests.ts';
import { perSuite } from '../support/per-suite.ts';
import { startWebKit } from '../support/webkit-process.ts';

describe('Stop', () => {
  const webKit = perSuite(() => startWebKit());
  const page = perSuite(() => webKit.open());
  defineStopTests(async () => page);
});
