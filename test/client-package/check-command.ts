import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { root } from '../support/served-process.ts';

/** Runs `advisory-chat-client check` in `directory`. Resolves with the lines of the cases that fail, and the last line. */
export async function checkCommand(command: readonly string[], directory: string, clockSpeed: number) {
  const check = [join(root, 'client-package/cli.ts'), 'check', '--speed', String(clockSpeed), '--'];
  const { stdout } = await promisify(execFile)(process.execPath, [...check, ...command], { cwd: directory }).catch(
    (error) => error,
  );
  const lines: string[] = stdout.trim().split('\n');
  return { failed: lines.filter((line) => line.startsWith('FAIL')), summary: lines.at(-1) };
}

/** Runs `jobs` at once, because most of the time of a case is waits, but not all, because a busy process would be late. */
export async function several<Item, Value>(
  items: readonly Item[],
  jobs: number,
  run: (item: Item, index: number) => Promise<[string, Value]>,
): Promise<ReadonlyMap<string, Value>> {
  const results: [string, Value][] = [];
  const remaining = items.entries();
  const work = async () => {
    for (const [index, item] of remaining) results.push(await run(item, index));
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return new Map(results);
}
