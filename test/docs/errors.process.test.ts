import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { errors } from '../../shared/errors.ts';
import { readDocument } from '../support/document.ts';
import { migratedDataDirectory } from '../support/migrated-cluster.ts';
import { root, serveInProcess } from '../support/served-process.ts';
import { hasCurl } from '../support/shell-example.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { examplesIn, lastAnswer, withoutWait } from './page-examples.ts';

const page = readDocument('docs/interface/errors.md');
const headings = [...page.text.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
const preamble = page.text.match(/^```bash\n([\s\S]*?)^```$/m)?.[1] ?? '';

if (hasCurl) {
  describe('docs/interface/errors.md, what it brings about with curl', function () {
    // The first start creates a database, and a busy machine takes its time.
    this.timeout(120_000);
    let data: Awaited<ReturnType<typeof migratedDataDirectory>>;
    let served: ReturnType<typeof serveInProcess>;
    let hasty: TestApp;
    const sessions = new Map<string, Promise<string>>();

    before(async () => {
      data = await migratedDataDirectory();
      served = serveInProcess({ DATA_DIR: data.path });
      hasty = await createTestApp({ arrival: { headersTimeout: 200, requestTimeout: 200 } });
      await served.url;
    });
    after(async () => {
      await hasty.close();
      served.kill('SIGTERM');
      await served.exited;
      await data.remove();
    });

    const run = async (file: string, words: readonly string[]) => {
      const port = new URL(await served.url).port;
      const env = { PATH: process.env.PATH, DATA_DIR: data.path, PORT: port };
      return (await promisify(execFile)(file, words, { cwd: root, env })).stdout;
    };

    /** What `npm run dev-session` prints, once for the same words. */
    function sessionOf(words: string): Promise<string> {
      const session = sessions.get(words) ?? run(process.execPath, ['test/dev-session/main.ts', ...words.split(' ')]);
      sessions.set(words, session);
      return session;
    }

    /** Runs a command of the page after its preamble, in which each session is one that has been made. */
    async function printedBy(command: string, url: string): Promise<string> {
      let script = `${preamble}${command}`.replace('http://localhost:3000', url);
      for (const [call, words = ''] of script.matchAll(/\$\(npm run --silent dev-session -- ([^)]*)\)/g)) {
        script = script.replace(call, `'${(await sessionOf(words)).trim()}'`);
      }
      return run('sh', ['-c', script]);
    }

    for (const heading of headings) {
      for (const [index, { command, kind, printed }] of examplesIn(page.sectionUnder(`### ${heading}`)).entries()) {
        it(`is as the page has it: ${heading}${index === 0 ? '' : `, ${index + 1}`}`, async () => {
          const url = heading.startsWith('408') ? hasty.url : await served.url;
          const output = await printedBy(command, url);
          if (kind === 'text') return void expect(output).to.equal(printed.trimEnd());
          const { answer, head, body } = lastAnswer(output);
          const isCode = Object.hasOwn(errors, heading);
          expect(withoutWait(answer)).to.equal(withoutWait(isCode ? printed.trimEnd() : printed));
          expect(head).to.match(/^x-request-id: ./im);
          const [, wait] = /in (\d+) seconds/.exec(body) ?? [];
          const [, retryAfter] = /^retry-after: (.*)$/im.exec(head) ?? [];
          expect(retryAfter?.trim()).to.equal(wait);
        });
      }
    }
  });
}
