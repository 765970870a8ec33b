import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { installedPackage } from '../client-package/installed-package.ts';
import { root } from '../support/served-process.ts';
import { describeTerminalClient } from './terminal-client.ts';

describeTerminalClient('docs/examples/terminal-client.ts', async () => {
  const { project } = await installedPackage();
  await copyFile(join(root, 'docs/examples/terminal-client.ts'), join(project, 'terminal-client.ts'));
  return { command: process.execPath, parameters: ['terminal-client.ts'], directory: project };
});
