import type { Report } from './rows.ts';
import { runMocha } from './run-mocha.ts';

/** A hook or a test that hangs has failed. */
const testTimeoutMilliseconds = 60_000;

/**
 * Runs all conformance tests of the project in `directory`, on embedded parts.
 * @throws where they do not come to an end in time or by `signal`, or do not even begin
 */
export function runConformance(directory: string, signal: AbortSignal): Promise<Report> {
  const parameters = [
    ...['--timeout', String(testTimeoutMilliseconds)],
    ...['--ignore', 'test/**/*.services.test.ts'],
    'test/conformance/**/*.test.ts',
  ];
  return runMocha(directory, parameters, { signal, variables: { DESCRIBED_ANSWERS: 'unasked' } });
}
