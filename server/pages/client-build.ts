import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Directory of the built client, relative to the project's root. */
export const builtClient = 'dist/client';

/** The sources of the built client, relative to the project's root. */
const sources = ['client', 'shared', 'vite.config.ts', 'package.json'];

/** What an instance runs, relative to the project's root. The page names the client's scripts by a hash of their contents. */
const released = ['server', 'shared', 'package.json', `${builtClient}/index.html`];

const stamp = '.sources';

/**
 * Builds the client in `root` where its sources have changed since the last build: by their contents, for the times of
 * files say little after a checkout. Answers whether it built.
 */
export async function buildClientIfStale(root: string): Promise<boolean> {
  const place = join(root, builtClient);
  const present = await fingerprint(root, sources);
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
 * The first 12 hexadecimal digits of a SHA-256 of the server's sources and the built client. Two instances with the same value
 * run the same code. Undefined if the client is not built.
 */
export async function releaseBuild(root: string): Promise<string | undefined> {
  if (!existsSync(join(root, builtClient, 'index.html'))) return undefined;
  return (await fingerprint(root, released)).slice(0, 12);
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
