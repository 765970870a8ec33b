import process from 'node:process';
import Mocha from 'mocha';

/** The specification has statements 1 to 133. The title of a test that proves one starts with its number. */
const statementCount = 133;

/** Appends to Mocha's spec report the statements that are not proven by exactly one passing test, and counts them as failures. */
export default class ConformanceReporter extends Mocha.reporters.Spec {
  readonly #proofs = new Map<number, number>();

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('pass', ({ title }) => {
      const number = Number(/^\d+(?= )/.exec(title)?.[0]);
      if (number > 0) this.#proofs.set(number, (this.#proofs.get(number) ?? 0) + 1);
    });
  }

  override done(failures: number, end?: (failures: number) => void): void {
    const numbers = Array.from({ length: statementCount }, (_, index) => index + 1);
    const unproven = numbers.filter((number) => this.#proofs.get(number) !== 1);
    const proven = `${statementCount - unproven.length} of ${statementCount} statements proven`;
    process.stdout.write(`  ${proven}${unproven.length > 0 ? `, not by one test: ${unproven.join(' ')}` : ''}\n\n`);
    end?.(failures + unproven.length);
  }
}
