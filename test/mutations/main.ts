import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root } from '../support/served-process.ts';
import { createCopies } from './copies.ts';
import { inParallel } from './in-parallel.ts';
import { applied, type Mutation } from './mutation.ts';
import { chapters, mutations } from './mutations.ts';
import { page } from './page.ts';
import { described, isExact, type Result } from './result.ts';
import { failedTests, isProperty, type Report, rowsOfTests } from './rows.ts';
import { runConformance } from './run-conformance.ts';

const { values } = parseArgs({
  options: {
    /** Only the mutations with this in their name. */
    only: { type: 'string' },
    /** How many copies run at a time. */
    jobs: { type: 'string', default: '1' },
    /** Record the result in `docs/mutations.md`. */
    write: { type: 'boolean', default: false },
  },
});

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const exact = await run();
  process.exitCode = exact ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Whether every mutation was noticed by exactly the rows that have to. */
async function run(): Promise<boolean> {
  const { only = '', jobs, write } = values;
  if (write && only !== '') throw new Error('The page is written of all mutations: --write goes without --only.');
  const chosen = mutations.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (chosen.length === 0) throw new Error(`No mutation has "${only}" in its name.`);

  const copies = await createCopies(root);
  try {
    for (const mutation of mutations) applied(mutation, await readFile(join(copies.original, mutation.file), 'utf8'));
    const whole = await copies.withCopy((path) => runConformance(path, stopped.signal));
    const broken = whole.failures.map(({ fullTitle }) => fullTitle);
    if (broken.length > 0) throw new Error(`These tests fail without any mutation:\n${broken.join('\n')}`);
    say(`Without a mutation all ${whole.passes.length} tests pass.`);

    const results = await inParallel(Number(jobs), chosen, async (mutation) => {
      const result = await copies.withCopy((path) => resultOf(mutation, path, whole));
      say(described(result));
      return result;
    });
    const exact = results.filter(isExact).length;
    say(`${exact} of ${results.length} mutations are noticed by exactly the rows that have to.`);
    if (write) await writeFile(join(root, 'docs/mutations.md'), page(chapters, results));
    return exact === results.length;
  } finally {
    await copies.remove();
  }
}

/** What fails in the copy at `path` with the mutation in it. */
async function resultOf(mutation: Mutation, path: string, whole: Report): Promise<Result> {
  const file = join(path, mutation.file);
  await writeFile(file, applied(mutation, await readFile(file, 'utf8')));
  try {
    const failed = failedTests(whole, await reportOf(path));
    const properties = failed.filter(isProperty).map(({ fullTitle }) => fullTitle);
    return { mutation, rows: rowsOfTests(failed), properties };
  } catch (error) {
    if (stopped.signal.aborted) throw error;
    return { mutation, rows: [], properties: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A run without a report is begun once more: a port that was free may have been taken by the time it is listened on. */
async function reportOf(path: string): Promise<Report> {
  return runConformance(path, stopped.signal).catch((error: unknown) => {
    if (stopped.signal.aborted) throw error;
    return runConformance(path, stopped.signal);
  });
}
