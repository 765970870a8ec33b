import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import * as testing from '../../client-package/testing.ts';
import { type InstalledPackage, installedPackage } from '../client-package/installed-package.ts';
import { readDocument, readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';

const run = promisify(execFile);
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
const page = readDocument('docs/testing-a-client.md');

describe('docs/testing-a-client.md', () => {
  let installed: InstalledPackage;

  before(async function () {
    this.timeout(180_000);
    installed = await installedPackage();
  });

  it('quotes a test of this repository', () => {
    expect(page.codeUnder('## A whole test', 'ts')).to.equal(readText('test/client/chat/overloaded-model.test.ts'));
  });

  it('names all that advisory-chat-client/testing offers', () => {
    const section = page.sectionUnder('## Against the fakes');
    for (const name of Object.keys(testing)) expect(section).to.match(new RegExp(`\`${name}\\b`));
  });

  it('shows a client and a test of it that passes', async () => {
    const write = (name: string, heading: string) =>
      writeFile(join(installed.project, name), page.codeUnder(heading, 'js'));
    await write('ask-by-the-table.js', '## A client of your own');
    await write('my-client.test.js', '### Its test');
    const { stdout } = await run(process.execPath, [mocha, '--no-config', 'my-client.test.js'], {
      cwd: installed.project,
    });
    expect(stdout).to.include('6 passing');
  });

  it('runs one file of tests without loading another', async () => {
    const [, file = ''] = /^npm test -- (\S+)$/m.exec(page.codeUnder('## One file at a time', 'bash')) ?? [];
    const { stdout } = await run(process.execPath, ['test/main.ts', '--dry-run', '--reporter', 'json', file], {
      cwd: root,
    });
    const { tests } = JSON.parse(stdout);
    const files = new Set(tests.map((test: { file: string }) => test.file));
    expect([...files]).to.deep.equal([join(root, file)]);
  });
});
