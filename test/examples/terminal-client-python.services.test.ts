import { join } from 'node:path';
import { retryCases } from '../../client-package/testing/retry-cases.ts';
import { root } from '../support/served-process.ts';
import { describeTerminalClient } from './terminal-client.ts';

// A services test, because it needs Python.
describeTerminalClient('docs/examples/terminal-client.py', retryCases, async () => ({
  command: 'python3',
  parameters: [join(root, 'docs/examples/terminal-client.py')],
}));
