import process from 'node:process';
import type { Report } from './rows.ts';
import { runMocha } from './run-mocha.ts';

/** Whether the tests of `file` need a PostgreSQL and a Redis, which the environment then has to name. */
export const needsServices = (file: string) => file.endsWith('.services.test.ts');

/**
 * Runs the tests in `file` whose whole titles are `titles`, in the project's copy in `directory`.
 * @throws where the run does not come to an end in time or by `signal`, or does not even begin
 */
export function runTests(
  directory: string,
  { file, titles }: { file: string; titles: readonly string[] },
  signal: AbortSignal,
): Promise<Report> {
  const { CHROMIUM_PATH, TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
  const parameters = [
    ...(file.startsWith('test/e2e/') ? ['--config', 'test/e2e/mocharc.json'] : []),
    ...['--grep', `^(?:${titles.map(escaped).join('|')})$`],
    file,
  ];
  const variables = {
    ...(CHROMIUM_PATH !== undefined && { CHROMIUM_PATH }),
    ...(needsServices(file) && { TEST_DATABASE_URL, TEST_REDIS_URL }),
  };
  return runMocha(directory, parameters, { signal, variables });
}

function escaped(title: string): string {
  return title.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
