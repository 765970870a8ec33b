import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** What the built client depends on, from the project's root. */
const sources = ['client', 'shared', 'vite.config.ts', 'package.json'];

/** Where the build leaves the client, from the project's root. */
export const builtClient = 'dist/client';

const stamp = '.sources';

/**
 * Builds the client in `root` where its sources have changed since the last build: by their contents, for the times of
 * files say little after a checkout. Answers whether it built.
 */
export async function buildClientIfStale(root: string): Promise<boolean> {
  const place = join(root, builtClient);
  const present = await fingerprint(root);
  if ((await stampIn(place)) === present) return false;
  const draft = `${place}-${randomUUID()}`;
  try {
    await buildClient(root, draft);
    await writeFile(join(draft, stamp), present);
    await putInPlace(draft, place);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return true;
}

/**
 * Builds the client of the project in `root` into the directory `place`, in a process of its own: vite goes by NODE_ENV,
 * and a build in this process would change it for everything else here.
 * @throws Error with what vite says
 */
export async function buildClient(root: string, place: string): Promise<void> {
  const vite = fileURLToPath(new URL('bin/vite.js', import.meta.resolve('vite/package.json')));
  const options = ['--config', join(root, 'vite.config.ts'), '--outDir', place, '--logLevel', 'warn'];
  const build = spawn(process.execPath, [vite, 'build', join(root, 'client'), ...options], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [complaints, [code]] = await Promise.all([text(build.stderr), once(build, 'close')]);
  if (code !== 0) throw new Error(`The client cannot be built.\n${complaints}`);
  process.stderr.write(complaints);
}

/**
 * Puts the directory `draft` at `place`, at once and whole, and deletes what was there. Where another process does the same at
 * that moment, the one that comes first stays.
 */
async function putInPlace(draft: string, place: string): Promise<void> {
  const former = `${draft}-former`;
  await rename(place, former).catch(unless('ENOENT'));
  await rename(draft, place).catch(unless('ENOTEMPTY', 'EEXIST'));
  await rm(former, { recursive: true, force: true });
}

function unless(...codes: string[]) {
  return (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

async function stampIn(directory: string): Promise<string | undefined> {
  return await readFile(join(directory, stamp), 'utf8').catch(() => undefined);
}

/**
 * Names the build of the client in `root`: 12 hexadecimal digits of the hash of its page, which names its scripts by their
 * contents. Undefined where it is not built.
 */
export async function clientBuild(root: string): Promise<string | undefined> {
  const page = await readFile(join(root, builtClient, 'index.html')).catch(() => undefined);
  return page && createHash('sha256').update(page).digest('hex').slice(0, 12);
}

async function fingerprint(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
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
