import { root } from '../support/served-process.ts';
import { describeTerminalClient } from './terminal-client.ts';

// A services test, because it needs Python.
describeTerminalClient('docs/examples/terminal-client.py', async () => ({
  command: 'python3',
  parameters: ['docs/examples/terminal-client.py'],
  directory: root,
}));
