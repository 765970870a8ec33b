import { writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { root } from '../support/served-process.ts';

/*
 * Writes the types that openapi-typescript generates to the file named on the command line. It is a separate program because it
 * replaces the module `typescript`: TypeScript 7 no longer has the API that the generator needs.
 */

const compiler = `data:text/javascript,${encodeURIComponent(`export { ts as default } from '${import.meta.resolve('@ts-morph/common')}';`)}`;
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? compiler : specifier, context),
});
const { default: openapiTypeScript, astToString } = await import('openapi-typescript');
const [file = ''] = process.argv.slice(2);
const document = new URL(`file://${join(root, 'docs/openapi.yaml')}`);
await writeFile(file, astToString(await openapiTypeScript(document)));
