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
