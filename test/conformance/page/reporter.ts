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
    const files = new Set<string | undefined>();
    const outcomes = new Map<string, Outcome>();
    const record = ({ file }: Mocha.Runnable, test: Mocha.Runnable, passed: boolean) => {
      files.add(file);
      if (file?.startsWith(directory)) outcomes.set(idOf(test), { title: test.title, passed });
    };
    runner.on('pass', (test) => record(test, test, true));
    // Of a hook, the test that it belongs to has failed.
    runner.on('fail', (failed) => record(failed, failed.ctx?.currentTest ?? failed, false));
    runner.on('end', () => {
      if (options.grep === undefined && !options.dryRun && isWhole(files)) {
        process.stdout.write(`  Conformance: ${summaryOf([...outcomes.values()]).text}\n\n`);
      }
    });
  }
}

/** Whether these are all the files in this directory; from some of them the statements of the others would be missing. */
function isWhole(files: ReadonlySet<string | undefined>): boolean {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.test.ts'))
    .every((name) => files.has(join(directory, name)));
}

/** Mocha's own name for a test. What comes from a process of a parallel run has it as a property alone. */
function idOf(test: Mocha.Runnable): string {
  return String(Reflect.get(test, '__mocha_id__'));
}
