import { execFile, spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { compileCacheDirectory } from '../support/compile-cache.ts';
import { baselineCompilerOption } from '../support/served-process.ts';

/** Runs a program of the server without the environment of this process, and returns its output and exit code. */
export function runProgram(
  program: string,
  words: readonly string[],
  environment: Record<string, string>,
  input = '',
): Promise<{ code: number | null; output: string; errorOutput: string }> {
  const file = fileOf(program);
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [baselineCompilerOption, file, ...words],
      { env: environmentOf(environment) },
      (_error, output, errorOutput) => resolve({ code: child.exitCode, output, errorOutput }),
    );
    child.stdin?.end(input);
  });
}

/** Runs a program whose standard output is not read, and returns its standard error. */
export async function runWithClosedOutput(
  program: string,
  words: readonly string[],
  environment: Record<string, string>,
): Promise<string> {
  const child = spawn(process.execPath, [baselineCompilerOption, fileOf(program), ...words], {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  return text(child.stderr);
}

/** The programs share Node's compile cache, because many of them run one after the other. */
function environmentOf(variables: Record<string, string>): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: compileCacheDirectory, ...variables };
}

function fileOf(program: string): string {
  return fileURLToPath(new URL(`../../server/${program}`, import.meta.url));
}
