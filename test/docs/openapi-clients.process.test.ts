import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { defaultReply } from '../support/scripted-provider.ts';
import { root } from '../support/served-process.ts';
import { createTestApp } from '../support/test-app.ts';
import { generatedClients, type Seen } from './clients/uses.ts';

const run = promisify(execFile);

/** What a client's developer would have, who is told no more than to be strict. */
const compilerOptions = {
  noEmit: true,
  strict: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  allowImportingTsExtensions: true,
  types: [],
};

describe('Clients that are generated from docs/openapi.yaml', () => {
  let directory = '';

  before(async () => {
    const parent = join(root, 'test-results');
    await mkdir(parent, { recursive: true });
    // Within the project, so that what the clients import is found.
    directory = await mkdtemp(join(parent, 'clients-'));
    await run(process.execPath, ['test/docs/clients/generate.ts', directory], { cwd: root });
    for (const { name, program } of generatedClients) await writeFile(join(directory, name, 'program.ts'), program);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('compile, and so does what uses them rightly; wrong uses do not', async () => {
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
    const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'];
    const complaints = await run(process.execPath, compiler, { cwd: directory }).then(
      () => '',
      ({ message, stdout }) => `${message}\n${stdout}`,
    );
    expect(complaints).to.equal('');
  });

  for (const { name } of generatedClients) {
    it(`talk to the service: ${name}'s`, async () => {
      await using app = await createTestApp();
      const avery = await app.person();
      const program = await import(pathToFileURL(join(directory, name, 'program.ts')).href);
      const seen: Seen = await program.run(app.url, avery.cookie);
      const [conversation] = seen.conversations;
      expect(seen).to.deep.equal({
        name: avery.user.name,
        reply: defaultReply.text,
        conversations: [conversation, conversation],
        requestId: 'turn-1',
        streamed: defaultReply.text,
        refusal: 'UNAUTHENTICATED',
      });
      expect(conversation).to.match(/^c[0-9a-z]{24}$/);
    });
  }
}).timeout(300_000);
