import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';

describe('a process that was started in a terminal', function () {
  this.timeout(120_000);

  it('stops when the terminal is closed', async () => {
    const data = await temporaryDirectory();
    // Not as a command of the shell's, which would be told of the end too, and not all shells pass it on.
    const command = `echo process $$; exec ${process.execPath} server/main.ts`;
    const terminal = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
      cwd: root,
      env: { PATH: process.env.PATH, TERM: 'dumb', PORT: '0', DATA_DIR: data.path },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: terminal.stdout }).on('line', (line) => lines.push(line));
    const found = (form: RegExp) => eventually(() => form.exec(lines.join('\n'))?.[1]);
    try {
      const id = Number(await found(/process (\d+)/));
      await found(/Open:\s+(http:\S+)/);
      terminal.kill('SIGKILL');
      await eventually(() => (isRunning(id) ? undefined : true));
    } finally {
      terminal.kill('SIGKILL');
      await data.remove();
    }
  });
});

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
