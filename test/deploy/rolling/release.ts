import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../support/served-process.ts';

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
  const end = '  ].map(withLockTimeout),';
  const text = await readFile(list, 'utf8');
  if (!text.includes(end)) throw new Error('The list of migrations has another form.');
  const row = `    { name: '${migration.name}', class: LaterMigration },\n`;
  const imported = `import { LaterMigration } from './migrations/${migration.name}.ts';\n`;
  await writeFile(join(directory, 'migrations', `${migration.name}.ts`), migration.text);
  await writeFile(list, imported + text.replace(end, () => row + end));
}
