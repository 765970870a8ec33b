import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { root, serveInProcess } from '../../support/served-process.ts';
import { run } from '../../support/server-process.ts';

export type Address = { host: string; port: number };

export function createInstances(variables: Record<string, string>, addresses: readonly Address[]) {
  const running = new Map<number, ReturnType<typeof serveInProcess>>();
  const outputs: string[][] = [];

  /** Starts the release in `directory` at the address with this index, and resolves when it accepts requests. */
  async function start(index: number, directory: string): Promise<void> {
    const { host = '', port = 0 } = addresses[index] ?? {};
    const served = serveInProcess(
      { ...variables, HOST: host, PORT: String(port) },
      { directory, program: 'server/main.js' },
    );
    running.set(index, served);
    outputs.push(served.output);
    await served.url;
  }

  return {
    start,
    async migrate(directory: string): Promise<void> {
      await run(process.execPath, ['server/migrate.ts'], { env: variables, cwd: directory });
    },
    async stop(index: number): Promise<void> {
      const served = running.get(index);
      if (served === undefined) return;
      running.delete(index);
      served.kill('SIGTERM');
      const code = await served.exited;
      if (code !== 0) throw new Error(`The instance ended with ${code}:\n${served.output.slice(-10).join('\n')}`);
    },
    running: () => [...running.keys()],
    /** The output of each process that was started. */
    outputs,
    async close(): Promise<void> {
      for (const served of running.values()) {
        served.kill('SIGKILL');
        await served.exited;
      }
    },
  };
}

export type Instances = ReturnType<typeof createInstances>;

/** Copies the product as a release into `directory`, with its own build of the pages. `isLater` adds a migration. */
export async function createRelease(
  directory: string,
  { build, isLater = false }: { build: string; isLater?: boolean },
) {
  await mkdir(join(directory, 'dist/client/assets'), { recursive: true });
  for (const name of ['server', 'shared', 'package.json']) {
    await cp(join(root, name), join(directory, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  const page = `<!doctype html><link rel="stylesheet" href="/assets/main-${build}.css"><script type="module" src="/assets/main-${build}.js"></script>`;
  await writeFile(join(directory, 'dist/client/index.html'), page);
  await writeFile(join(directory, `dist/client/assets/main-${build}.css`), `/* ${build} */`);
  await writeFile(join(directory, `dist/client/assets/main-${build}.js`), `// ${build}`);
  if (isLater) await addMigration(join(directory, 'server/database/schema/migrations.ts'));
  return directory;
}

async function addMigration(list: string): Promise<void> {
  const text = await readFile(list, 'utf8');
  const added = `{ name: '2999-01-01-later', statements: ['alter table chat_messages add column later text'] }`;
  const extended = text.replace('[initialMigration]', `[initialMigration, ${added}]`);
  if (extended === text) throw new Error('Cannot find the list of migrations.');
  await writeFile(list, extended);
}
