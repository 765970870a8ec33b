import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { type Report, reportSchema } from './rows.ts';

/** A run that takes longer is no result. */
const runTimeoutMilliseconds = 10 * 60_000;

type Options = {
  signal: AbortSignal;
  /** Environment variables beside `PATH` and `TMPDIR`. */
  variables?: Record<string, string | undefined>;
};

/**
 * Runs mocha with `parameters` in the project's copy in `directory` and gives its report. Node and mocha are those of
 * the copy's packages.
 * @throws where the run does not come to an end in time or by `signal`, or does not even begin
 */
export async function runMocha(
  directory: string,
  parameters: readonly string[],
  { signal, variables }: Options,
): Promise<Report> {
  const temporary = join(directory, '.temporary');
  const reportFile = join(temporary, 'report.json');
  const child = spawn(
    process.execPath,
    [
      'node_modules/mocha/bin/mocha.js',
      // What a failed test has left open must not keep the process.
      '--exit',
      ...['--reporter', 'json', '--reporter-option', `output=${reportFile}`],
      ...parameters,
    ],
    {
      cwd: directory,
      env: { ...variables, PATH: process.env.PATH, TMPDIR: temporary },
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
