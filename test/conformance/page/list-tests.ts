import { spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { root } from '../../support/served-process.ts';

const reportSchema = z.object({
  tests: z.array(z.object({ title: z.string(), fullTitle: z.string(), file: z.string() })),
});

export type ListedTest = {
  title: string;
  /** what stands above the title */
  chapter: string;
  /** its path from the project's root */
  file: string;
};

/** The specification's statements, here and in the browser. */
const statements = ['test/conformance/*.test.ts', 'test/e2e/*.test.ts'];

/** The tests in these files, as mocha finds them without running any. */
export async function listTests(files: readonly string[] = statements): Promise<ListedTest[]> {
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  const { stdout } = spawn(process.execPath, [mocha, '--dry-run', '--reporter', 'json', ...files], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { tests } = reportSchema.parse(JSON.parse(await text(stdout)));
  return tests.map(({ title, fullTitle, file }) => ({
    title,
    chapter: fullTitle.slice(0, -title.length - 1),
    file: relative(root, file),
  }));
}
