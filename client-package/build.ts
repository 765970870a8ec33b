import { execFile } from 'node:child_process';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where the package is left unless somewhere else is named, from the project's root. */
const builtPackage = 'dist/client-package';

/** Builds the npm package `advisory-chat-client` into `directory`, which is emptied first: modules, types and what npm wants to know. */
export async function buildClientPackage(directory = join(root, builtPackage)): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      outDir: directory,
      // Safari and Firefox of the time of Node 20.
      target: ['es2022', 'node20'],
      sourcemap: true,
      minify: false,
      lib: {
        entry: { main: join(root, 'client-package/main.ts'), testing: join(root, 'client-package/testing.ts') },
        formats: ['es'],
      },
      rolldownOptions: { external: /^node:/, checks: { bundlerTimings: false } },
    },
  });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(root, 'client-package/tsconfig.json');
  const types = join(directory, 'types');
  await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', types], { cwd: root });

  const { version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(manifest({ version, license }), null, 2)}\n`);
  await copyFile(join(root, 'client-package/README.md'), join(directory, 'README.md'));
  await copyFile(join(root, 'LICENSE'), join(directory, 'LICENSE'));
}

function manifest(facts: { version: string; license: string }) {
  const entry = (name: string) => ({ types: `./types/client-package/${name}.d.ts`, default: `./${name}.js` });
  return {
    name: 'advisory-chat-client',
    ...facts,
    description: 'Talks to an Advisory Chat service: one attempt, the retry table, or a whole conversation.',
    type: 'module',
    engines: { node: '>=20.19' },
    sideEffects: false,
    exports: { '.': entry('main'), './testing': entry('testing'), './package.json': './package.json' },
    files: ['*.js', '*.js.map', 'types'],
  };
}

if (import.meta.main) await buildClientPackage();
