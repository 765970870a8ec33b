import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { type Report, reportSchema } from './rows.ts';

/** A hook or a test that hangs has failed. */
const testTimeoutMilliseconds = 60_000;

/** A run in which more hangs than that is no result. */
const runTimeoutMilliseconds = 10 * 60_000;

/**
 * Runs all conformance tests of the project in `directory`, on embedded parts.
 * @throws where they do not come to an end in time or by `signal`, or do not even begin
 */
export async function runConformance(directory: string, signal: AbortSignal): Promise<Report> {
  const temporary = join(directory, '.temporary');
  const reportFile = join(temporary, 'report.json');
  const child = spawn(
    process.execPath,
    [
      'node_modules/mocha/bin/mocha.js',
      // What a failed test has left open must not keep the process.
      '--exit',
      ...['--timeout', String(testTimeoutMilliseconds)],
      ...['--reporter', 'json', '--reporter-option', `output=${reportFile}`],
      ...['--ignore', 'test/**/*.services.test.ts'],
      'test/conformance/**/*.test.ts',
    ],
    {
      cwd: directory,
      env: { PATH: process.env.PATH, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'pipe'],
      // A process group of its own, so that nothing it has started stays behind.
      detached: true,
    },
  );
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-2000);
  });

  const limit = AbortSignal.any([signal, AbortSignal.timeout(runTimeoutMilliseconds)]);
  const end = () => endGroup(child.pid);
  limit.addEventListener('abort', end, { once: true });
  if (limit.aborted) end();
  const closed = once(child, 'close');
  await once(child, 'exit');
  end();
  await closed;
  limit.removeEventListener('abort', end);
  if (limit.aborted) throw new Error(signal.aborted ? 'It was stopped.' : 'It did not come to an end.');
  try {
    return reportSchema.parse(JSON.parse(await readFile(reportFile, 'utf8')));
  } catch (cause) {
    throw new Error(`There is no report of it: ${cause}\n${complaints}`, { cause });
  }
}

function endGroup(processId: number | undefined): void {
  try {
    if (processId !== undefined) process.kill(-processId, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}
