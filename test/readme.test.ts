import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readDocument, readText } from './support/document.ts';
import { perSuite } from './support/per-suite.ts';
import { defaultReply } from './support/scripted-provider.ts';
import { root } from './support/served-process.ts';
import { hasCurl, runExample } from './support/shell-example.ts';
import { createTestApp } from './support/test-app.ts';

if (hasCurl)
  describe('README.md', () => {
    const app = perSuite(() => createTestApp());

    it('has a curl example of demo chat that streams a reply', async () => {
      const example = readDocument('README.md').codeUnder('### Demo chat', 'bash');
      const output = await runExample(example, app.url);
      expect(output).to.match(/^HTTP\/1.1 200 OK\r\n/);
      expect(output.split('\r\n\r\n')[1]).to.equal(defaultReply.text);
    });
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

describe('the document', () => {
  for (const document of documents) {
    it(`${document} refers only to existing scripts, files and headings`, () => {
      const text = readText(document);
      const { scripts } = JSON.parse(readText('package.json'));
      for (const [, script = ''] of text.matchAll(/npm run (\w[\w:-]*)/g)) expect(scripts).to.have.property(script);
      for (const [path] of text.matchAll(/\btest\/[\w./-]+\.test\.ts/g))
        expect(existsSync(join(root, path)), path).to.equal(true);
      for (const [, path = '', heading] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
        const target = path === '' ? document : join(dirname(document), path);
        expect(existsSync(join(root, target)), target).to.equal(true);
        if (heading !== undefined) expect(anchorsIn(readText(target)), target).to.include(heading);
      }
    });
  }
});

function anchorsIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
