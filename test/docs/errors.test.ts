import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { budgetSentences, demoErrorCodes, errors, fullSentences } from '../../shared/errors.ts';
import { errorCodes, exampleError } from '../shared/error-codes.ts';
import { code, readDocument } from '../support/document.ts';
import { migratedDataDirectory } from '../support/migrated-cluster.ts';
import { root, serveInProcess } from '../support/served-process.ts';
import { hasCurl } from '../support/shell-example.ts';
import { createTestApp, post, question, type TestApp } from '../support/test-app.ts';
import { examplesIn, lastAnswer } from './page-examples.ts';

const page = readDocument('docs/interface/errors.md');
const headings = [...page.text.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
const preamble = page.text.match(/^```bash\n([\s\S]*?)^```$/m)?.[1] ?? '';

/** Waits depend on when the first request came. */
const withoutWait = (text: string) => text.replace(/in \d+ seconds/, 'in some seconds');

describe('docs/interface/errors.md', () => {
  it('has a section for each code, before those without one', () => {
    expect(headings.slice(0, errorCodes.length)).to.have.members(errorCodes);
  });

  it('has a section for each refusal without a code', () => {
    const statuses = headings.slice(errorCodes.length).map((heading) => Number.parseInt(heading, 10));
    expect(statuses).to.deep.equal([400, 403, 404, 405, 408, 413, 417, 431]);
  });

  it('names the codes of demo chat', () => {
    const [, said = ''] = /Demo chat has five of them: ([^.]*)\./.exec(page.text) ?? [];
    expect([...said.matchAll(/`(\w+)`/g)].map(([, name]) => name)).to.have.members([...demoErrorCodes]);
  });

  for (const name of errorCodes) {
    it(`shows ${name} with its status and its sentence`, () => {
      const [, shown = ''] = /```(?:http|text)\n(HTTP[\s\S]*?)```/.exec(page.sectionUnder(`### ${name}`)) ?? [];
      expect(shown).to.match(new RegExp(`^HTTP/1\\.1 ${errors[name].status} `));
      expect(withoutWait(shown).trimEnd().split('\n\n').at(-1)).to.equal(withoutWait(exampleError(name, 42)));
    });
  }

  it('shows every sentence that stands in place of a code’s own', () => {
    const shown = ['### RATE_LIMITED', '### UPSTREAM_OVERLOADED'].flatMap((heading) =>
      page.tableUnder(heading).map(([sentence]) => sentence),
    );
    const own = [...Object.values(budgetSentences), ...Object.values(fullSentences)];
    expect(shown).to.have.members(own.map(code));
  });

  describe('what it brings about with settings', () => {
    let usual: TestApp;
    let avery: Awaited<ReturnType<TestApp['person']>>;

    before(async () => {
      usual = await createTestApp();
      avery = await usual.person();
    });
    after(() => usual.close());

    /** The application with the settings of a row, and how it is asked there. */
    async function withSettings(settings = '', where = '') {
      const { maxStreams, maxStreamsPerUser, maxStreamsDemo, tokensPerDay } = loadConfig(variablesIn(settings));
      const budgets = Object.entries(tokensPerDay).filter(([, tokens]) => tokens !== undefined);
      const app = await createTestApp({
        shared: { storage: usual.storage },
        maxStreams,
        maxStreamsPerUser,
        maxStreamsDemo,
        tokensPerDay: Object.fromEntries(budgets),
      });
      return { app, ask: () => (where === 'live chat' ? app.live(avery, question()) : app.demo(question())) };
    }

    for (const [sentence = '', settings, where] of page.tableUnder('### RATE_LIMITED')) {
      it(`is 429: ${sentence}`, async () => {
        const { app, ask } = await withSettings(settings, where);
        await using _ = app;
        await (await ask()).text();
        const refused = await ask();
        expect(refused.status).to.equal(429);
        const wait = refused.headers.get('retry-after');
        expect(await refused.text()).to.equal(
          `RATE_LIMITED: ${sentence.replaceAll('`', '')} Try again in ${wait} seconds.`,
        );
      });
    }

    for (const [sentence = '', settings, where] of page.tableUnder('### UPSTREAM_OVERLOADED')) {
      it(`is 503: ${sentence}`, async () => {
        const { app, ask } = await withSettings(settings, where);
        await using _ = app;
        const held = Promise.withResolvers<void>();
        app.provider.answerWith({ steps: [{ text: 'Half' }, { wait: held.promise }] });
        const first = await ask();
        const refused = await ask();
        held.resolve();
        expect([refused.status, await refused.text()]).to.deep.equal([
          503,
          `UPSTREAM_OVERLOADED: ${sentence.replaceAll('`', '')}`,
        ]);
        await first.text();
      });
    }

    it('is 403 by plain HTTP where that is not the machine’s own', async () => {
      const publicUrl = 'https://chat.example.com';
      await using app = await createTestApp({
        shared: { storage: usual.storage },
        production: true,
        trustProxy: true,
        publicUrl,
      });
      const refused = await post(`${app.url}/api/chat/demo`, question());
      const shown = `HTTP/1.1 ${refused.status} ${refused.statusText}\n\n${await refused.text()}`;
      expect(page.sectionUnder('### 403 Forbidden')).to.include(`\`\`\`text\n${shown}\`\`\``);
    });
  });

  if (hasCurl) {
    describe('what it brings about with curl', function () {
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
});

/** Assignments as a shell has them, by name. */
function variablesIn(settings: string): Record<string, string> {
  return Object.fromEntries(
    settings
      .replaceAll('`', '')
      .split(' ')
      .map((each) => each.split('=')),
  );
}
