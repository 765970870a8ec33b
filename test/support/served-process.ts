import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCacheDirectory } from './compile-cache.ts';
import { eventually } from './eventually.ts';

// The processes and directories that are killed and removed when the test process exits, even if it crashes.
const children = new Set<ChildProcess>();
const directories = new Set<string>();

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const path of directories) rmSync(path, { recursive: true, force: true });
});

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const nodeOptions: readonly string[] = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  .scripts.start.split(' ')
  .filter((word: string) => word.startsWith('--'));

/** Restricts V8 to its baseline WebAssembly compiler: optimizing would not pay off in a short-lived process. */
export const baselineCompilerOption = '--liftoff-only';

/** Inherits only PATH. `directory` can be another copy of the product, and `program` another entry point. */
export function serveInProcess(
  variables: Record<string, string>,
  { directory = root, program = 'server/main.ts' }: { directory?: string; program?: string } = {},
) {
  const child = spawn(process.execPath, [baselineCompilerOption, ...nodeOptions, program], {
    cwd: directory,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCacheDirectory, PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const output: string[] = [];
  const address = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line);
      const url = /Open:\s+(\S+)|"url":"([^"]+)","msg":"listening"/.exec(line)?.slice(1).find(Boolean);
      if (url !== undefined) address.resolve(url);
    });
  }
  const exited = exitOf(child).finally(() => children.delete(child));
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
    address.reject(new Error(`The process ended before it listened:\n${output.join('\n')}`));
  });
  address.promise.catch(() => undefined);
  return {
    /** Resolves with the URL that the process prints: in development in the banner, in production in the log. */
    url: address.promise,
    /** Resolves with the exit code or the signal, once the process and its output streams have closed. */
    exited,
    output,
    /** Resolves with the first line that matches, and rejects if the process ends without one. */
    printed: (pattern: RegExp) =>
      eventually(
        () => {
          const line = output.find((each) => pattern.test(each));
          if (line === undefined && hasEnded) throw new Error(`The process has ended:\n${output.join('\n')}`);
          return line;
        },
        () => `${pattern}\n${output.join('\n')}`,
      ),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}

async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = await once(child, 'close');
  return code ?? signal;
}

export async function temporaryDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'advisory-chat-'));
  directories.add(path);
  const remove = async () => {
    rmSync(path, { recursive: true, force: true });
    directories.delete(path);
  };
  return { path, remove };
}
