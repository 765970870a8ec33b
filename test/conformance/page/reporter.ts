import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import Mocha from 'mocha';
import { root } from '../../support/served-process.ts';
import { type Outcome, summaryOf } from './statements.ts';

const directory = join(root, 'test/conformance');

/** Mocha's own report, and below it how many of the specification's statements this run has proven. */
export default class ConformanceReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const outcomes = new Map<Mocha.Runnable, Outcome>();
    const record = (test: Mocha.Runnable, passed: boolean) => {
      if (test.file?.startsWith(directory)) outcomes.set(test, { title: test.title, passed });
    };
    runner.on('pass', (test) => record(test, true));
    // Of a hook, the test that it belongs to has failed.
    runner.on('fail', (failed) => record(failed.ctx?.currentTest ?? failed, false));
    runner.on('end', () => {
      if (options.grep === undefined && !options.dryRun && isLoadedInWhole(runner.suite)) {
        process.stdout.write(`  Conformance: ${summaryOf([...outcomes.values()]).text}\n\n`);
      }
    });
  }
}

/** Whether the run was of all files in this directory; of some of them it would miss the statements of the others. */
function isLoadedInWhole({ suites }: Mocha.Suite): boolean {
  const loaded = new Set(suites.map(({ file }) => file));
  return readdirSync(directory)
    .filter((name) => name.endsWith('.test.ts'))
    .every((name) => loaded.has(join(directory, name)));
}
