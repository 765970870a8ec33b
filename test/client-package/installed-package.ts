import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { atEndOfRun } from '../support/end-of-run.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';

const run = promisify(execFile);

export type InstalledPackage = Awaited<ReturnType<typeof install>>;

let installed: Promise<InstalledPackage> | undefined;

/** Packs the package and installs it offline into an empty project, once for all tests. */
export function installedPackage(): Promise<InstalledPackage> {
  installed ??= install();
  return installed;
}

async function install() {
  const { path, remove } = await temporaryDirectory();
  const built = join(path, 'built');
  const project = join(path, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }');
  const { stdout: buildOutput } = await run(process.execPath, ['client-package/build.ts', built], { cwd: root });
  const packed = await run('npm', ['pack', '--json', '--pack-destination', path, built], { cwd: root });
  const [{ filename, files }] = JSON.parse(packed.stdout);
  const offline = ['--offline', '--no-audit', '--no-fund', '--cache', join(path, 'cache')];
  await run('npm', ['install', ...offline, join(path, filename)], { cwd: project });
  return {
    project,
    buildOutput,
    filename: filename as string,
    files: files.map((file: { path: string }) => file.path) as string[],
    remove,
  };
}

let nodes: ReturnType<typeof findNodesOnce> | undefined;

/** Paths of the Node that runs the tests and of those on the PATH, by version. */
export function findNodes(): Promise<Map<string, string>> {
  nodes ??= findNodesOnce();
  return nodes;
}

async function findNodesOnce(): Promise<Map<string, string>> {
  const directories = (process.env.PATH ?? '').split(delimiter);
  const nodes = new Map<string, string>();
  for (const node of [process.execPath, ...directories.map((directory) => join(directory, 'node'))]) {
    const version = await run(node, ['--version']).catch(() => undefined);
    if (version) nodes.set(version.stdout.trim(), node);
  }
  return nodes;
}

atEndOfRun(async () => {
  await (await installed)?.remove();
});
