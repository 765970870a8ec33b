import { join } from 'node:path';
import { runnerImport } from 'vite';
import { root } from './served-process.ts';

const client = join(root, 'client');
const withoutStyles = '\0without-styles';

/** Imports a module of the client into Node. Its style sheets are empty, because Vite compiles them only for a browser. */
export async function importClient<Module>(file: string): Promise<Module> {
  const { module } = await runnerImport<Module>(join(client, file), {
    root: client,
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'without-styles',
        enforce: 'pre',
        resolveId: (id) => (id.endsWith('.css') ? withoutStyles : undefined),
        load: (id) => (id === withoutStyles ? 'export {};' : undefined),
      },
    ],
  });
  return module;
}
