import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { readDocument } from '../support/document.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { root } from '../support/served-process.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { type InstalledPackage, installedPackage, nodesHere } from './installed-package.ts';

const mostKilobytes = 19;

/** Longer than any machine takes, and less than a test may: a child that hangs is ended, and what it has printed is shown. */
const maxMilliseconds = 100_000;

const readme = readDocument('client-package/README.md');

describe('The package advisory-chat-client', function () {
  this.timeout(180_000);
  let app: TestApp;
  let installed: InstalledPackage;

  before(async () => {
    app = await createTestApp({ limits: { demo: 1000 } });
    installed = await installedPackage();
  });
  beforeEach(() => app.provider.reset());
  after(() => app.close());

  /** Writes an example of the README into the project, so that it talks to the application here. */
  async function writeExample(heading: string, name: string, { url } = app): Promise<string> {
    const file = join(installed.project, name);
    await writeFile(file, readme.codeUnder(heading, 'js').replace('http://localhost:3000', url));
    return file;
  }

  /** What a program prints in the project. One that fails fails the test with that. */
  async function run(parameters: readonly string[], node = process.execPath) {
    const options = { cwd: installed.project, timeout: maxMilliseconds };
    return promisify(execFile)(node, parameters, options).catch(({ message, stdout, stderr }) => {
      throw new Error([message, stdout, stderr].join('\n'));
    });
  }

  /** What a file prints on each Node of this machine. */
  async function printedBy(...parameters: string[]): Promise<{ stdout: string; stderr: string }[]> {
    const printed = [];
    for (const node of (await nodesHere()).values()) printed.push(await run(parameters, node));
    return printed;
  }

  // Mocha gives a test two seconds, which a busy machine may need for its first request.
  const mocha = [join(root, 'node_modules/mocha/bin/mocha.js'), '--no-config', '--timeout', '0'];

  it('comes to less than 19 kB gzipped, testing included, and its build says so', () => {
    const [, kilobytes] = /: ([\d.]+) kB of modules, gzipped\n$/.exec(installed.told) ?? [];
    expect(Number(kilobytes)).to.be.greaterThan(0).and.lessThan(mostKilobytes);
  });

  it('has modules with their source maps, types, and nothing that has to be installed with it', async () => {
    const others = installed.files.filter((name) => !/^types\/[\w/-]+\.d\.ts$|^[\w-]+\.js(\.map)?$/.test(name));
    expect(others.toSorted()).to.deep.equal(['LICENSE', 'README.md', 'package.json']);
    const directory = join(installed.project, 'node_modules/advisory-chat-client');
    const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(manifest).to.include({ type: 'module', license: 'MIT', sideEffects: false, version });
    expect(readme.text).to.include(`npm install ./${installed.filename}`);
    expect(manifest).not.to.have.any.keys('dependencies', 'peerDependencies', 'scripts');
    const modules = installed.files.filter((name) => name.endsWith('.js'));
    for (const name of modules) {
      const map = JSON.parse(await readFile(join(directory, `${name}.map`), 'utf8'));
      expect(map.sourcesContent, name).to.have.length(map.sources.length);
      const imports = (await readFile(join(directory, name), 'utf8')).matchAll(/^import .*? from "([^"]+)"/gm);
      for (const [, from] of imports) expect(from, name).to.match(name === 'testing.js' ? /^(\.\/|node:)/ : /^\.\//);
    }
  });

  it('asks a question as its README shows, on each Node that is here', async () => {
    const file = await writeExample('## Ask a question', 'ask.js');
    for (const { stdout, stderr } of await printedBy(file)) {
      expect({ stdout, stderr }).to.deep.equal({ stdout: `${defaultReply.text}\n`, stderr: '' });
    }
  });

  it('says as its README shows that a question was not answered, and why', async () => {
    app.provider.answerWith({ refuse: { status: 500, type: 'api_error', message: 'Scripted.' } });
    const file = await writeExample('## Ask a question', 'ask.js');
    const { stdout, stderr } = await run([file]);
    expect(stdout).to.equal('\n');
    expect(stderr.split(' (request ')[0]).to.equal(
      'The model could not finish the reply. Next attempt in 1 s.\nThe model could not finish the reply.',
    );
  });

  it('keeps a conversation as its README shows, on each Node that is here', async () => {
    const file = await writeExample('## Keep a conversation', 'conversation.js');
    const { text } = defaultReply;
    for (const { stdout, stderr } of await printedBy(file)) {
      const turns = ['Where do we start?', 'And then?'].map((question) => `> ${question}\n\n${text}\n\n(done)\n\n`);
      expect({ stdout, stderr }).to.deep.equal({ stdout: turns.join(''), stderr: '' });
    }
    const roles = app.provider.requests.at(-1)?.body.messages.map(({ role }) => role);
    expect(roles).to.deep.equal(['user', 'assistant', 'user']);
  });

  it('says as its README shows how long the service takes no question, and does not wait for it', async () => {
    await using limited = await createTestApp({ limits: { demo: 1 } });
    const talking = await writeExample('## Keep a conversation', 'limited-conversation.js', limited);
    const talked = await run([talking]);
    expect(talked.stdout).to.match(/\(done\)\n\n> And then\?\n\n\n\n\(failed: Too many requests\.\)\n\n/);
    expect(talked.stdout).to.match(/No further question for 3(600|5\d\d) s\.\n$/);

    const asking = await writeExample('## Ask a question', 'limited-ask.js', limited);
    const asked = await run([asking]);
    expect(asked.stderr).to.match(/^Too many requests\. Try again in 3(600|5\d\d) s\. \(request /);
  });

  it('is tested with mocha as its README shows, on each Node that is here', async () => {
    const file = await writeExample('## Test a client', 'client.test.js');
    for (const { stdout } of await printedBy(...mocha, file)) expect(stdout).to.include('1 passing');
  });

  it('shows a client with a loop of its own, and a test of it that passes', async () => {
    await writeExample('### A client with a loop of its own', 'ask-by-the-table.js');
    const file = await writeExample('### The test of that client', 'my-client.test.js');
    const { stdout } = await run([...mocha, file]);
    expect(stdout).to.include('6 passing');
  });

  it('has types for a page without those of Node, under which wrong uses do not compile', async () => {
    await writeFile(join(installed.project, 'uses.ts'), uses);
    await compile('uses.ts', { types: [], lib: ['es2022', 'dom', 'dom.iterable'] });
  });

  it('has types that need nothing of a browser: those of Node are enough, for the example of a terminal client and for tests', async () => {
    await copyFile(join(root, 'docs/examples/terminal-client.ts'), join(installed.project, 'terminal-client.ts'));
    await writeFile(join(installed.project, 'fakes.ts'), fakes);
    const typeRoots = [join(root, 'node_modules/@types')];
    const lib = ['es2024', 'esnext.disposable'];
    for (const file of ['terminal-client.ts', 'fakes.ts']) await compile(file, { types: ['node'], typeRoots, lib });
  });

  async function compile(file: string, compilerOptions: object): Promise<void> {
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      verbatimModuleSyntax: true,
      skipLibCheck: false,
      ...compilerOptions,
    };
    const project = join(installed.project, `${file}.json`);
    await writeFile(project, JSON.stringify({ compilerOptions: options, files: [file] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    await run([compiler, '--project', project]);
  }
});

const uses = `
import { ask, type Conversation, createConversation, createTranscript, createWebLock, type ErrorCode, nextDelaySeconds,
  type Outcome, readReply, sendTurn } from 'advisory-chat-client';

const url = '${routes.liveChat}';
const conversation: Conversation = createConversation({
  url,
  transcript: createTranscript(localStorage, 'chat'),
  lock: createWebLock(navigator.locks, 'chat'),
});
const outcome: Outcome | null = await conversation.send('Where do we start?');
if (outcome?.type === 'failed') { const code: ErrorCode | undefined = outcome.code; void code; }
const delay: number | null = nextDelaySeconds([{ code: 'RATE_LIMITED', retryAfterSeconds: 5 }]);
const messages = [{ role: 'user' as const, content: 'Where do we start?' }];
await sendTurn({ url, messages }, { onPhase: (phase) => void (phase.name === 'offline' || phase.attempt) });
const { text } = await readReply((await fetch(url)).body, (reply: string) => void reply);
void [delay, text];

// @ts-expect-error An address is needed.
createConversation({});
// @ts-expect-error A question is text.
void conversation.send(1);
// @ts-expect-error Nobody else says anything.
void ask({ url, messages: [{ role: 'system', content: 'Be brief.' }] });
// @ts-expect-error An id is text.
void ask({ url, messages, conversationId: 1 });
// @ts-expect-error A reply may be missing: the outcome has to be looked at first.
void outcome.type;
// @ts-expect-error There is no such outcome.
if (outcome?.type === 'lost') void 0;
`;

const fakes = `
import { createConversation, createKeptWait, createTranscript, createWebLock, sendTurn } from 'advisory-chat-client';
import { createFakeClock, createFakeLock, createFakeStorage, fails, hangsUp, isIdle, replies, startFakeBackend,
  staysSilent, until } from 'advisory-chat-client/testing';

await using backend = await startFakeBackend();
backend.answer(replies('Week 3.', 'c1'), fails('RATE_LIMITED', { retryAfterSeconds: 5 }), hangsUp, staysSilent);
const clock = createFakeClock();
const conversation = createConversation({ url: backend.url, clock, lock: createFakeLock() });
await until(conversation, isIdle);
await clock.advance(1000);
const storage = createFakeStorage(10);
void [createTranscript(storage, 'chat'), createKeptWait(storage, 'wait', clock), createWebLock];
void sendTurn({ url: '/api/chat', messages: [{ role: 'user', content: 'Where do we start?' }] });
// @ts-expect-error There is no such code.
fails('SOLD_OUT');
`;
