import Mocha from 'mocha';
import { skipMark } from './engine.ts';

/** Prints at the end how many tests were skipped, by what the browser or its driver lacks. */
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const skipped = new Map<string, number>();
    runner.on('pending', ({ title }) => {
      const [, capability = title] = title.split(skipMark);
      skipped.set(capability, (skipped.get(capability) ?? 0) + 1);
    });
    runner.once('end', () => {
      const counts = [...skipped].map(([capability, count]) => `${capability} (${count})`);
      if (counts.length > 0)
        Mocha.reporters.Base.consoleLog(`  Skipped, because the browser or its driver lacks: ${counts.join(', ')}\n`);
    });
  }
}
