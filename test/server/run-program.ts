import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Runs a program of the server's with this environment alone, and gives what it printed and its exit code. */
export function runProgram(
  program: string,
  words: readonly string[],
  environment: Record<string, string>,
  input = '',
): Promise<{ code: number | null; output: string; complaints: string }> {
  const file = fileURLToPath(new URL(`../../server/${program}`, import.meta.url));
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file, ...words], { env: environment }, (_error, output, complaints) =>
      resolve({ code: child.exitCode, output, complaints }),
    );
    child.stdin?.end(input);
  });
}
