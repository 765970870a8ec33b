import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { banner } from '../server/banner.ts';
import { loadConfig } from '../server/config/config.ts';
import { environmentSchema } from '../server/config/environment.ts';
import { tenantRole } from '../server/database/tenant.ts';
import { offlinePhrases } from '../server/embedded/offline-model/offline-phrases.ts';
import { demoErrorCodes, errors } from '../shared/errors.ts';
import { retryRules } from '../shared/retry.ts';
import { errorCodes } from './shared/error-codes.ts';
import { defaultReply } from './support/scripted-provider.ts';
import { createTestApp, type TestApp } from './support/test-app.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readText = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = readText('README.md');

/** The text under a heading, up to the next heading of any level. */
function section(heading: string): string {
  const [, text] = readme.split(`\n${heading}\n`);
  if (text === undefined) throw new Error(`The README has no "${heading}".`);
  return text.split(/^#{2,3} /m, 1)[0] ?? '';
}

/** The rows of the table in a section, cell by cell, without its heading. */
function tableUnder(heading: string): string[][] {
  const lines = section(heading)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

/** The first block of code in a section. */
function codeUnder(heading: string, language: string): string {
  const code = section(heading).split(`\`\`\`${language}\n`)[1]?.split('```')[0];
  if (code === undefined) throw new Error(`"${heading}" has no code.`);
  return code;
}

const code = (text: string) => `\`${text}\``;

describe('The README', () => {
  it('shows the banner that a first start prints', () => {
    expect(readme).to.include(banner(loadConfig({}), 'http://localhost:3000').trim());
  });

  it('lists the phrases of the offline model', () => {
    const rows = tableUnder('### The offline model').map((cells) => cells.slice(0, 2));
    expect(rows).to.deep.equal(offlinePhrases.map(({ phrase, effect }) => [code(phrase), effect]));
  });

  it('lists every error code with its status, where it occurs and its sentence', () => {
    const rows = tableUnder('### Errors').map((cells) => cells.slice(0, 4));
    expect(rows).to.deep.equal(
      errorCodes.map((name) => {
        const { status, sentence } = errors[name];
        return [code(name), String(status), demoErrorCodes.includes(name) ? 'both' : 'live', sentence];
      }),
    );
  });

  it('prints the retry table', () => {
    expect(tableUnder('### What a client does then')).to.deep.equal(
      Object.entries(retryRules).map(([name, { attempts, delaysSeconds, policy }]) => {
        const waits = delaysSeconds === 'retry-after' ? code('Retry-After') : delaysSeconds.join(', ') || '–';
        return [code(name), String(attempts), waits, policy];
      }),
    );
  });

  it('names the limits that ship', () => {
    const { live, demo } = loadConfig({}).limits;
    expect(tableUnder('### Limits').map(([route, , requests, window]) => [route, requests, window])).to.deep.equal([
      [code('POST /api/chat'), String(live.requests), `${live.windowSeconds} seconds`],
      [code('POST /api/chat/demo'), String(demo.requests), `${demo.windowSeconds} seconds`],
    ]);
  });

  it('lists every variable, with its default', () => {
    const defaults: Record<string, unknown> = environmentSchema.parse({});
    const rows = tableUnder('## Settings').map(([variables = '', , without]) => ({
      names: [...variables.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
      without,
    }));
    expect(rows.flatMap(({ names }) => names)).to.deep.equal(Object.keys(environmentSchema.shape));
    for (const { names, without } of rows) {
      const [value] = names.map((name) => defaults[name]);
      if (value !== undefined) expect(without, names[0]).to.equal(code(String(value)));
    }
  });

  it('quotes the test of a client that it promises', () => {
    expect(codeUnder("## Test a client's retries", 'ts')).to.equal(readText('test/client/chat/readme-example.test.ts'));
  });

  it('has a line for each folder of the server', () => {
    const folders = readdirSync(join(root, 'server'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) expect(codeUnder('## Contributing', '')).to.include(`server/${name}/ `);
  });

  // What needs nothing but Node to be tested cannot count on curl.
  if (spawnSync('curl', ['--version']).status === 0) {
    describe('its examples', () => {
      let app: TestApp;

      before(async () => {
        app = await createTestApp();
      });
      after(() => app.close());

      async function run(example: string): Promise<string> {
        const command = example.replace('http://localhost:3000', app.url);
        return (await promisify(execFile)('sh', ['-c', command])).stdout;
      }

      it('of demo chat streams a reply', async () => {
        const output = await run(codeUnder('### Demo chat', 'bash'));
        expect(output).to.match(/^HTTP\/1.1 200 OK\r\n/);
        expect(output.split('\r\n\r\n')[1]).to.equal(defaultReply.text);
      });

      it('of live chat does so in a conversation, with the cookie of somebody signed in', async () => {
        const { cookie } = await app.person();
        const output = await run(codeUnder('### Live chat', 'bash').replace('advisory-chat=PASTE-THE-VALUE', cookie));
        expect(output).to.match(/^HTTP\/1.1 200 OK\r\n/);
        expect(output)
          .to.include('\r\nX-Prompt-Version: 1.0.0\r\n')
          .and.match(/\r\nX-Conversation-Id: c\w{24}\r\n/);
        expect(output.split('\r\n\r\n')[1]).to.equal(defaultReply.text);
      });
    });
  }
});

const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

describe('The documents', () => {
  for (const document of documents) {
    it(`${document} names scripts, files and headings that exist`, () => {
      const text = readText(document);
      const { scripts } = JSON.parse(readText('package.json'));
      for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(scripts).to.have.property(script);
      for (const [, path = '', heading] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
        const target = path === '' ? document : join(dirname(document), path);
        expect(existsSync(join(root, target)), target).to.equal(true);
        if (heading !== undefined) expect(headingsOf(readText(target)), target).to.include(heading);
      }
    });
  }

  it('docs/operations.md makes the role that tenant data is read as', () => {
    expect(readText('docs/operations.md')).to.include(`create role ${tenantRole} nologin nosuperuser nobypassrls;`);
  });
});

/** The headings of a document as its links name them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
