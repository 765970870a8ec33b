import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root } from '../support/served-process.ts';
import { createCopies } from './copies.ts';
import type { Hole } from './hole.ts';
import { holeChapters, holes } from './holes.ts';
import { holesPage } from './holes-page.ts';
import { inParallel } from './in-parallel.ts';
import { applied } from './mutation.ts';
import { needsServices, runTests } from './run-tests.ts';
import { describedVerdict, type Verdict, verdictOf } from './verdict.ts';

const { values } = parseArgs({
  options: {
    /** Only the holes with this in their name. */
    only: { type: 'string' },
    /** How many copies run at a time. */
    jobs: { type: 'string', default: '1' },
    /** Record the result in `docs/holes.md`. */
    write: { type: 'boolean', default: false },
  },
});

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  process.exitCode = (await run()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Whether every hole was noticed by its test. */
async function run(): Promise<boolean> {
  const { only = '', jobs, write } = values;
  if (write && only !== '') throw new Error('The page is written of all holes: --write goes without --only.');
  const chosen = holes.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (chosen.length === 0) throw new Error(`No hole has "${only}" in its name.`);
  requireServices(chosen);

  const copies = await createCopies(root);
  try {
    for (const hole of chosen) applied(hole, await readFile(join(copies.original, hole.file), 'utf8'));
    const broken = await copies.withCopy((path) => notPassing(path, chosen));
    if (broken.length > 0) throw new Error(`These tests do not pass without any hole:\n${broken.join('\n')}`);
    say('Without a hole all of their tests pass.');

    const verdicts = await inParallel(Number(jobs), chosen, async (hole) => {
      const verdict = await copies.withCopy((path) => verdictOn(hole, path));
      say(describedVerdict(verdict));
      return verdict;
    });
    const noticed = verdicts.filter((verdict) => verdict.noticed).length;
    say(`${noticed} of ${verdicts.length} holes are noticed.`);
    if (write) await writeFile(join(root, 'docs/holes.md'), holesPage(holeChapters, verdicts));
    return noticed === verdicts.length;
  } finally {
    await copies.remove();
  }
}

function requireServices(chosen: readonly Hole[]): void {
  const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
  const hole = chosen.find(({ test }) => needsServices(test.file));
  if (hole === undefined || (TEST_DATABASE_URL !== undefined && TEST_REDIS_URL !== undefined)) return;
  throw new Error(`"${hole.name}" needs PostgreSQL and Redis: .ci/with-services npm run test:holes`);
}

/** The titles of the holes' tests that do not pass in the copy at `path`. */
async function notPassing(path: string, chosen: readonly Hole[]): Promise<string[]> {
  const broken: string[] = [];
  for (const [file, tests] of Map.groupBy(chosen, ({ test }) => test.file)) {
    const titles = [...new Set(tests.map(({ test }) => test.title))];
    const report = await runTests(path, { file, titles }, stopped.signal);
    const passed = new Set(report.passes.map(({ fullTitle }) => fullTitle));
    const failed = report.failures.map(({ fullTitle }) => fullTitle);
    broken.push(...new Set([...titles.filter((title) => !passed.has(title)), ...failed]));
  }
  return broken;
}

/** What the hole's test says of the copy at `path` with the hole in it. */
async function verdictOn(hole: Hole, path: string): Promise<Verdict> {
  const { file, title } = hole.test;
  const changed = join(path, hole.file);
  await writeFile(changed, applied(hole, await readFile(changed, 'utf8')));
  try {
    return verdictOf(hole, await runTests(path, { file, titles: [title] }, stopped.signal));
  } catch (error) {
    if (stopped.signal.aborted) throw error;
    return { hole, noticed: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
