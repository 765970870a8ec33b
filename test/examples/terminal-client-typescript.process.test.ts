import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { retryCases } from '../../client-package/testing/retry-cases.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { describeTerminalClient } from './terminal-client.ts';

// The package, which passes all cases in client-check.test.ts, decides about retries. Two cases of each rule check its use: the last
// ones, because on a busy machine a process starts too late for a silence that begins with its first request.
const casesOfRules = Object.values(Object.groupBy(retryCases, ({ title }) => title.split(':')[0] ?? ''));
const cases = casesOfRules.flatMap((ofRule = []) => ofRule.slice(-2));

describeTerminalClient('docs/examples/terminal-client.ts', cases, async () => {
  const { path } = await temporaryDirectory();
  const built = join(path, 'node_modules/advisory-chat-client');
  await run(process.execPath, ['client-package/build.ts', built], { cwd: root });
  await writeFile(join(path, 'package.json'), '{ "type": "module" }');
  const file = join(path, 'terminal-client.ts');
  await copyFile(join(root, 'docs/examples/terminal-client.ts'), file);
  return { command: process.execPath, parameters: [file] };
});
