import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { budgetSentences, demoErrorCodes, errors, fullSentences } from '../../shared/errors.ts';
import { errorCodes, exampleError } from '../shared/error-codes.ts';
import { code, readDocument } from '../support/document.ts';
import { createTestApp, post, question, type TestApp } from '../support/test-app.ts';
import { withoutWait } from './page-examples.ts';

const page = readDocument('docs/interface/errors.md');
const headings = [...page.text.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);

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
