import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { root, serveInProcess } from '../../support/served-process.ts';
import { run } from '../../support/server-process.ts';

export type Place = { host: string; port: number };

/** Processes of the product, each always at the same place. */
export function createInstances(variables: Record<string, string>, places: readonly Place[]) {
  const running = new Map<number, ReturnType<typeof serveInProcess>>();
  const output: string[] = [];

  /** Starts the release in `directory` at this place, and resolves when it serves. */
  async function start(place: number, directory: string): Promise<void> {
    const { host = '', port = 0 } = places[place] ?? {};
    const served = serveInProcess(
      { ...variables, HOST: host, PORT: String(port) },
      { directory, program: 'server/main.js' },
    );
    running.set(place, served);
    await served.url;
  }

  return {
    start,
    /** Changes the schema as the release in `directory` does. */
    async migrate(directory: string): Promise<void> {
      await run(process.execPath, ['server/migrate.ts'], { env: variables, cwd: directory });
    },
    /** Asks it to stop, and resolves when it has ended. */
    async stop(place: number): Promise<void> {
      const served = running.get(place);
      if (served === undefined) return;
      running.delete(place);
      served.kill('SIGTERM');
      const code = await served.exited;
      output.push(...served.output);
      if (code !== 0) throw new Error(`The instance ended with ${code}:\n${served.output.slice(-10).join('\n')}`);
    },
    /** The places where one runs. */
    running: () => [...running.keys()],
    /** What those that have ended have logged. */
    output,
    /** Leaves none running, however the test has ended. */
    async close(): Promise<void> {
      for (const served of running.values()) {
        served.kill('SIGKILL');
        await served.exited;
      }
    },
  };
}

export type Instances = ReturnType<typeof createInstances>;

/** A migration of a release to come: after all that there are. */
const migration = {
  name: '2999-01-01-later',
  text: `import { Migration } from '@mikro-orm/migrations';

export class LaterMigration extends Migration {
  override up(): void {
    this.addSql('alter table chat_messages add column later text');
  }
}
`,
};

/**
 * The product as a release in `directory`, with its own build of the pages. `isLater` gives it one migration more than
 * there are.
 */
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
  if (isLater) await addMigration(join(directory, 'server/database'));
  return directory;
}

async function addMigration(directory: string): Promise<void> {
  const list = join(directory, 'migrations.ts');
  const end = '\n];\n\n/**\n * What only the functions';
  const text = await readFile(list, 'utf8');
  if (!text.includes(end)) throw new Error('The list of migrations has another form.');
  const row = `    { name: '${migration.name}', class: LaterMigration },\n`;
  const imported = `import { LaterMigration } from './migrations/${migration.name}.ts';\n`;
  await writeFile(join(directory, 'migrations', `${migration.name}.ts`), migration.text);
  await writeFile(list, imported + text.replace(end, () => `\n${row.trimEnd()}${end}`));
}
