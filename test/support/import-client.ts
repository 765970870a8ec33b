import { join } from 'node:path';
import { runnerImport } from 'vite';
import { root } from './served-process.ts';

const client = join(root, 'client');
const withoutStyles = '\0without-styles';
const reactOnServer = 'virtual:react-on-server';

/** React renders a store on a server only with a snapshot for the server, which the client does not need: here it is the current one. */
const reactOnServerCode = `
  import * as react from 'react';
  export * from 'react';
  export const useSyncExternalStore = (subscribe, getSnapshot, getServerSnapshot = getSnapshot) =>
    react.useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot);
`;

/**
 * Imports a module of the client into Node, where `react-dom/server` can render its components. Its style sheets are empty, because
 * Vite compiles them only for a browser.
 */
export async function importClient<Module>(file: string): Promise<Module> {
  const { module } = await runnerImport<Module>(join(client, file), {
    root: client,
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'in-node',
        enforce: 'pre',
        resolveId(id) {
          if (id === reactOnServer) return `\0${id}`;
          return id.endsWith('.css') ? withoutStyles : undefined;
        },
        load(id) {
          if (id === `\0${reactOnServer}`) return reactOnServerCode;
          return id === withoutStyles ? 'export {};' : undefined;
        },
        transform: (code, id) =>
          id.startsWith(client) ? code.replace(/ from 'react';/g, ` from '${reactOnServer}';`) : undefined,
      },
    ],
  });
  return module;
}
