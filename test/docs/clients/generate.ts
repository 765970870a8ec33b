import { mkdir, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { root } from '../../support/served-process.ts';

/*
 * Writes the client of openapi-typescript and that of hey-api to the directory named on the command line. A program of its
 * own, because here `typescript` is another package.
 */

const compiler = new URL('typescript-compiler.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? compiler : specifier, context),
});
const { default: openapiTypeScript, astToString } = await import('openapi-typescript');
const { createClient } = await import('@hey-api/openapi-ts');

const document = join(root, 'docs/openapi.yaml');
const [directory = ''] = process.argv.slice(2);

await mkdir(join(directory, 'openapi-typescript'), { recursive: true });
const types = astToString(await openapiTypeScript(new URL(`file://${document}`)));
await writeFile(join(directory, 'openapi-typescript', 'schema.ts'), types);

await createClient({
  input: document,
  // Node, which runs it as it is, wants the whole names of files.
  output: { path: join(directory, 'hey-api'), module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent', file: false },
});
