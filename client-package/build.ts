import { execFile } from 'node:child_process';
import { chmod, copyFile, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { retainPublicTypes } from './public-types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const modules = ['main', 'testing', 'testing-node', 'truncation'];

/** Deletes `directory` first. Returns the gzipped size of all modules in bytes. */
async function buildClientPackage(directory: string): Promise<number> {
  await rm(directory, { recursive: true, force: true });
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      outDir: directory,
      emptyOutDir: false,
      // Node 20, and Safari and Firefox of about the same age.
      target: ['es2022', 'node20'],
      sourcemap: true,
      minify: false,
      lib: {
        entry: Object.fromEntries([...modules, 'cli'].map((name) => [name, join(root, `client-package/${name}.ts`)])),
        formats: ['es'],
      },
      rolldownOptions: {
        external: /^node:/,
        checks: { bundlerTimings: false },
        // If reading a property counted as a side effect, unused tables would stay in the bundle.
        treeshake: { propertyReadSideEffects: false },
      },
    },
  });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(root, 'client-package/tsconfig.json');
  const types = join(directory, 'types');
  await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', types], { cwd: root });
  const entries = modules.map((name) => join(types, `client-package/${name}.d.ts`));
  await retainPublicTypes(types, entries);

  const bin = join(directory, 'bin.js');
  await writeFile(bin, "#!/usr/bin/env node\nimport './cli.js';\n");
  await chmod(bin, 0o755);

  const { version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(manifest({ version, license }), null, 2)}\n`);
  await copyFile(join(root, 'client-package/README.md'), join(directory, 'README.md'));
  await copyFile(join(root, 'LICENSE'), join(directory, 'LICENSE'));

  let bytes = 0;
  for await (const file of glob('*.js', { cwd: directory })) {
    bytes += gzipSync(await readFile(join(directory, file))).length;
  }
  return bytes;
}

function manifest(release: { version: string; license: string }) {
  const entry = (name: string) => ({ types: `./types/client-package/${name}.d.ts`, default: `./${name}.js` });
  return {
    name: 'advisory-chat-client',
    ...release,
    description: 'A client for Advisory Chat: single attempts, retries, or whole conversations.',
    type: 'module',
    engines: { node: '>=20.19' },
    sideEffects: false,
    bin: { 'advisory-chat-client': './bin.js' },
    exports: {
      '.': entry('main'),
      './testing': entry('testing'),
      './testing/node': entry('testing-node'),
      './truncation': entry('truncation'),
      './package.json': './package.json',
    },
    files: ['*.js', '*.js.map', 'types'],
  };
}

const [directory = join(root, 'dist/client-package')] = process.argv.slice(2);
const bytes = await buildClientPackage(resolve(directory));
process.stdout.write(`${directory}: ${(bytes / 1000).toFixed(1)} kB of modules, gzipped\n`);
