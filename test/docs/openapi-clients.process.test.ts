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

const wrongFile = (index: number) => `wrong-${index}.ts`;

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
  /** The errors of TypeScript by the file, from the root of `directory`. */
  const errors = new Map<string, string[]>();

  before(async () => {
    const parent = join(root, 'test-results');
    await mkdir(parent, { recursive: true });
    // Within the project, so that what the clients import is found.
    directory = await mkdtemp(join(parent, 'clients-'));
    const redocly = [
      ...['node_modules/@redocly/cli/bin/cli.js', 'generate-client', 'docs/openapi.yaml'],
      ...['--output', join(directory, 'redocly', 'client.ts'), '--args-style', 'grouped'],
    ];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    await run(process.execPath, ['test/docs/clients/generate.ts', directory], { cwd: root });
    await run(process.execPath, redocly, { cwd: root, env });

    for (const { name, imports, right, wrong } of generatedClients) {
      await writeFile(join(directory, name, 'right.ts'), `${imports}\n${right}`);
      for (const [index, { code }] of wrong.entries()) {
        await writeFile(join(directory, name, wrongFile(index)), `${imports}\n${code}`);
      }
    }
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
    const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'];
    const { stdout } = await run(process.execPath, compiler, { cwd: directory }).catch((failure) => failure);
    for (const [, file = '', error = ''] of String(stdout).matchAll(/^(\S+)\(\d+,\d+\): error (TS\d+)/gm)) {
      errors.set(file, [...(errors.get(file) ?? []), error]);
    }
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('compile, and so does what uses them rightly', () => {
    const wrong = generatedClients.flatMap((client) =>
      client.wrong.map((_, index) => `${client.name}/${wrongFile(index)}`),
    );
    expect([...errors.keys()].filter((file) => !wrong.includes(file))).to.deep.equal([]);
    expect(errors.size).to.be.above(0);
  });

  for (const client of generatedClients) {
    for (const [index, { what, error }] of client.wrong.entries()) {
      it(`refuse by ${client.name}'s types ${what}`, () => {
        expect(errors.get(`${client.name}/${wrongFile(index)}`)).to.deep.equal([error]);
      });
    }

    it(`talk to the service: ${client.name}'s`, async () => {
      await using app = await createTestApp();
      const avery = await app.person();
      const right = await import(pathToFileURL(join(directory, client.name, 'right.ts')).href);
      const seen: Seen = await right.run(app.url, avery.cookie);
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
