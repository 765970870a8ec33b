import process from 'node:process';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { readDocument } from '../support/document.ts';
import { createMigratedDataDirectory } from '../support/migrated-cluster.ts';
import { perSuite } from '../support/per-suite.ts';
import { root, serveInProcess } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { hasCurl } from '../support/shell-example.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

const guide = readDocument('docs/interface.md');
const [preamble = '', commands = ''] = [
  ...guide.sectionUnder('### See each error').matchAll(/^```bash\n([\s\S]*?)^```$/gm),
].map(([, text = '']) => text);
const withoutWait = (text: string) => text.replace(/in \d+ seconds/, 'in some seconds');

/** The rows of the tables of errors and refusals. A status can have several sentences. */
const rows = guide
  .tableUnder('## Errors')
  .map(([status = '', body = '']) => ({ status, body: body.replaceAll('`', '') }))
  .filter(({ status }) => /^\d+$/.test(status));

function lastResponse(printed: string): { status: string | undefined; body: string } {
  const last = printed.split(/(?=HTTP\/1\.1 \d)/).at(-1) ?? '';
  return { status: last.split(' ')[1], body: last.slice(last.indexOf('\r\n\r\n') + 4).trimEnd() };
}

if (hasCurl) {
  describe('docs/interface.md, See each error', () => {
    // Starting the processes is slow on a busy machine.
    let served: ReturnType<typeof serveInProcess>;
    let hasty: TestApp;
    const sessions = new Map<string, Promise<string>>();

    after(async () => {
      await hasty.close();
      served.kill('SIGTERM');
      await served.exited;
    });
    const data = perSuite(() => createMigratedDataDirectory());
    before(async () => {
      served = serveInProcess({ DATA_DIR: data.path });
      hasty = await createTestApp({ timeouts: { headers: 200, request: 200, checkInterval: 200 } });
      await served.url;
    });

    const runHere = async (file: string, words: readonly string[]) => {
      const port = new URL(await served.url).port;
      const env = { PATH: process.env.PATH, DATA_DIR: data.path, PORT: port };
      return (await run(file, words, { cwd: root, env })).stdout;
    };

    /** Returns the output of `npm run dev-session`, cached by its arguments. */
    function sessionOf(words: string): Promise<string> {
      const session =
        sessions.get(words) ?? runHere(process.execPath, ['test/dev-session/main.ts', ...words.split(' ')]);
      sessions.set(words, session);
      return session;
    }

    /** Runs a command of the guide with its preamble, in which cached sessions replace the calls of dev-session. */
    async function runCommand(command: string, url: string): Promise<string> {
      let script = `${preamble}${command}`.replace('http://localhost:3000', url);
      for (const [call, words = ''] of script.matchAll(/\$\(npm run --silent dev-session -- ([^)]*)\)/g)) {
        script = script.replace(call, `'${(await sessionOf(words)).trim()}'`);
      }
      return runHere('sh', ['-c', script]);
    }

    for (const [, title = '', command = ''] of commands.matchAll(/^# (.*)\n((?:(?!# ).*\n)*)/gm)) {
      it(`the command for ${title} returns the documented response`, async () => {
        const [name = ''] = title.split(',');
        const url = name === '408' ? hasty.url : await served.url;
        const { status, body } = lastResponse(await runCommand(command, url));
        const described = rows.filter((row) => row.status === name || row.body.startsWith(`${name}: `));
        expect(described.map((row) => `${row.status} ${withoutWait(row.body)}`)).to.include(
          `${status} ${withoutWait(body)}`,
        );
      });
    }
  });
}
