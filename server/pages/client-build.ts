import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const clientBuildDirectory = 'dist/client';

const sourcePaths = ['client', 'shared', 'vite.config.ts', 'package.json'];

/** The code that an instance runs. The page stands for the client's scripts, because it contains their hashed names. */
const releasedPaths = ['server', 'shared', 'package.json', `${clientBuildDirectory}/index.html`];

const stampFile = '.sources';

/** Compares contents, because a checkout changes file times. Resolves to whether it built. */
export async function buildClientIfStale(root: string): Promise<boolean> {
  const target = join(root, clientBuildDirectory);
  const currentFingerprint = await fingerprint(root, sourcePaths);
  if ((await readStamp(target)) === currentFingerprint) return false;
  const draft = `${target}-${randomUUID()}`;
  try {
    await buildClient(root, draft);
    await writeFile(join(draft, stampFile), currentFingerprint);
    await replaceDirectory(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return true;
}

/**
 * Builds the client of the project in `root` into `directory`. Runs in a separate process, because a Vite build sets
 * NODE_ENV for its whole process.
 * @throws Error with the output of Vite
 */
async function buildClient(root: string, directory: string): Promise<void> {
  const vite = fileURLToPath(new URL('bin/vite.js', import.meta.resolve('vite/package.json')));
  const options = ['--config', join(root, 'vite.config.ts'), '--outDir', directory, '--logLevel', 'warn'];
  const build = spawn(process.execPath, [vite, 'build', join(root, 'client'), ...options], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [output, [code]] = await Promise.all([text(build.stderr), once(build, 'close')]);
  if (code !== 0) throw new Error(`The client cannot be built.\n${output}`);
  process.stderr.write(output);
}

/** If another process does the same concurrently, the draft of one of them becomes the target. */
async function replaceDirectory(draft: string, target: string): Promise<void> {
  const former = `${draft}-former`;
  await rename(target, former).catch(ignoreErrors('ENOENT'));
  await rename(draft, target).catch(ignoreErrors('ENOTEMPTY', 'EEXIST'));
  await rm(former, { recursive: true, force: true });
}

function ignoreErrors(...codes: string[]) {
  return (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

async function readStamp(directory: string): Promise<string | undefined> {
  return await readFile(join(directory, stampFile), 'utf8').catch(() => undefined);
}

/**
 * Returns the first 12 hexadecimal digits of a SHA-256 of the server's sources and the built client. Two instances with the
 * same value run the same code. Undefined if the client is not built.
 */
export async function computeBuildId(root: string): Promise<string | undefined> {
  if (!existsSync(join(root, clientBuildDirectory, 'index.html'))) return undefined;
  return (await fingerprint(root, releasedPaths)).slice(0, 12);
}

async function fingerprint(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const source of paths) {
    for (const file of await filesIn(root, source)) hash.update(file).update(await readFile(join(root, file)));
  }
  return hash.digest('hex');
}

async function filesIn(root: string, path: string): Promise<string[]> {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
