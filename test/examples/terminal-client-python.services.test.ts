import { join } from 'node:path';
import { retryCases } from '../../client-package/testing/retry-cases.ts';
import { root } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { describeTerminalClient } from './terminal-client.ts';

// A services test, because it needs Python. Each case starts Python, so it starts without a version manager's wrapper and without
// site-packages, which take half of a start.
describeTerminalClient('docs/examples/terminal-client.py', retryCases, async () => {
  const { stdout } = await run('python3', ['-c', 'import sys; print(sys.executable)']);
  return { command: stdout.trim(), parameters: ['-IS', join(root, 'docs/examples/terminal-client.py')] };
});
