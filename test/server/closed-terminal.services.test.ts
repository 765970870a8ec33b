import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';

describe('a process that was started in a terminal', function () {
  this.timeout(120_000);
  let data: Awaited<ReturnType<typeof temporaryDirectory>>;
  let terminal: ReturnType<typeof openTerminal>;

  before(async () => {
    data = await temporaryDirectory();
  });
  afterEach(() => terminal.close());
  after(() => data.remove());

  /** The terminal of `script`, which is closed when `script` is killed. */
  function openTerminal() {
    // Not as a command of the shell's, which would be told of the end too, and not all shells pass it on.
    const command = `echo process $$; exec ${process.execPath} server/main.ts`;
    const child = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
      cwd: root,
      env: { PATH: process.env.PATH, TERM: 'dumb', PORT: '0', DATA_DIR: data.path },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    return { lines, close: () => child.kill('SIGKILL') };
  }

  const found = (form: RegExp) => eventually(() => form.exec(terminal.lines.join('\n'))?.[1]);

  const isRunning = (id: number) => {
    try {
      return process.kill(id, 0);
    } catch {
      return false;
    }
  };

  it('goes on after SIGHUP, and stops when the terminal is closed', async () => {
    terminal = openTerminal();
    const id = Number(await found(/process (\d+)/));
    const url = await found(/Open:\s+(http:\S+)/);
    process.kill(id, 'SIGHUP');
    await found(/(there is no TLS certificate to read anew)/);
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);

    terminal.close();
    await eventually(() => (isRunning(id) ? undefined : true));
  });
});
