import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { banner } from '../server/banner.ts';
import { loadConfig } from '../server/config/config.ts';
import { tenantRole } from '../server/database/tenant.ts';
import { retryTable } from './shared/retry-table.ts';
import { readDocument, readText } from './support/document.ts';
import { defaultReply } from './support/scripted-provider.ts';
import { root } from './support/served-process.ts';
import { hasCurl, runExample } from './support/shell-example.ts';
import { createTestApp, type TestApp } from './support/test-app.ts';

const readme = readDocument('README.md');

describe('The README', () => {
  it('shows the banner that a first start prints', () => {
    expect(readme.text).to.include(banner(loadConfig({}), 'http://localhost:3000').trim());
  });

  it('prints the retry table', () => {
    expect(readme.tableUnder('### What a client does after an error')).to.deep.equal(retryTable);
  });

  if (hasCurl) {
    describe('its examples', () => {
      let app: TestApp;

      before(async () => {
        app = await createTestApp();
      });
      after(() => app.close());

      it('of demo chat streams a reply', async () => {
        const output = await runExample(readme.codeUnder('### Demo chat', 'bash'), app.url);
        expect(output).to.match(/^HTTP\/1.1 200 OK\r\n/);
        expect(output.split('\r\n\r\n')[1]).to.equal(defaultReply.text);
      });
    });
  }
});

const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

describe('The documents', () => {
  for (const document of documents) {
    it(`${document} names scripts, files and headings that exist`, () => {
      const text = readText(document);
      const { scripts } = JSON.parse(readText('package.json'));
      for (const [, script = ''] of text.matchAll(/npm run (\w[\w:-]*)/g)) expect(scripts).to.have.property(script);
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
