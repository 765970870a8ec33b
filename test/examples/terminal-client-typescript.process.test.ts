import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { retryCases } from '../../client-package/testing/retry-cases.ts';
import { installedPackage } from '../client-package/installed-package.ts';
import { root } from '../support/served-process.ts';
import { describeTerminalClient } from './terminal-client.ts';

// The package, which passes all cases in client-check.test.ts, decides about retries. Two cases of each rule check its use: the last
// ones, because on a busy machine a process starts too late for a silence that begins with its first request.
const casesOfRules = Object.values(Object.groupBy(retryCases, ({ title }) => title.split(':')[0] ?? ''));
const cases = casesOfRules.flatMap((ofRule = []) => ofRule.slice(-2));

describeTerminalClient('docs/examples/terminal-client.ts', cases, async () => {
  const { project } = await installedPackage();
  const file = join(project, 'terminal-client.ts');
  await copyFile(join(root, 'docs/examples/terminal-client.ts'), file);
  return { command: process.execPath, parameters: [file] };
});
