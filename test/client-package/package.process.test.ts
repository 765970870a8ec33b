import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { retryCases } from '../../client-package/testing/retry-cases.ts';
import { formatError } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { readDocument } from '../support/document.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { root } from '../support/served-process.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { type InstalledPackage, installedPackage, nodesHere } from './installed-package.ts';

const mostKilobytes = 26;

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
    await writeFile(
      file,
      readme.codeUnder(heading, name.endsWith('.ts') ? 'ts' : 'js').replace('http://localhost:3000', url),
    );
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

  it('comes to less than 26 kB gzipped, testing included, and its build says so', () => {
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
    const modules = installed.files.filter((name) => name.endsWith('.js') && name !== 'bin.js');
    for (const name of modules) {
      const map = JSON.parse(await readFile(join(directory, `${name}.map`), 'utf8'));
      expect(map.sourcesContent, name).to.have.length(map.sources.length);
      const imports = (await readFile(join(directory, name), 'utf8')).matchAll(/^import .*? from "([^"]+)"/gm);
      for (const [, from] of imports) expect(from, name).to.match(name === 'main.js' ? /^\.\// : /^(\.\/|node:)/);
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
    await writeExample('### A client with a loop of its own', 'ask-by-the-table.ts');
    const file = await writeExample('### The test of that client', 'my-client.test.ts');
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

  it('has examples in its README that compile as TypeScript', async () => {
    await writeExample('### A client with a loop of its own', 'ask-by-the-table.ts');
    await writeExample('### The test of that client', 'my-client.test.ts');
    for (const [heading, name] of [
      ['## Ask a question', 'ask-example'],
      ['## Keep a conversation', 'conversation-example'],
      ['## Test a client', 'test-example'],
    ] as const) {
      await writeFile(join(installed.project, `${name}.ts`), readme.codeUnder(heading, 'js'));
    }
    const typeRoots = [join(root, 'node_modules/@types')];
    const files = ['ask-example', 'conversation-example', 'test-example', 'ask-by-the-table', 'my-client.test'];
    for (const file of files) {
      const types = { types: ['node', 'mocha'], typeRoots, allowImportingTsExtensions: true };
      await compile(`${file}.ts`, { ...types, lib: ['es2024', 'esnext.disposable'] });
    }
  });

  it('publishes types of nothing but what it exports', async () => {
    const directory = join(installed.project, 'node_modules/advisory-chat-client');
    const types = installed.files.filter((name) => name.endsWith('.d.ts'));
    const all = (await Promise.all(types.map((name) => readFile(join(directory, name), 'utf8')))).join('\n');
    for (const internal of ['Asking', 'createConversationTurns', 'errorGuide', 'createStore', 'presentableText']) {
      expect(all).not.to.include(internal);
    }
    expect(all).to.match(/type ErrorCode = "INVALID_JSON" \| /);
  });

  it('plays a case of the retry table to a client in any language, and prints what it received', async () => {
    const bin = join(installed.project, 'node_modules/.bin/advisory-chat-client');
    const child = spawn(bin, ['fake', '--case', '9'], { cwd: installed.project });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? 'null');
    const { url, case: played } = await next();
    expect(played).to.deep.equal(JSON.parse(JSON.stringify(retryCases[8])));
    const headers = { 'Content-Type': 'application/json', 'X-Request-Id': 'turn-1', Cookie: 'advisory-chat=value' };
    const bodies = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const response = await fetch(url, { method: 'POST', headers, body: `{"attempt":${attempt}}` });
      bodies.push(await response.text());
      const { atMilliseconds, ...received } = await next();
      expect(atMilliseconds).to.be.at.least(0);
      expect(received).to.deep.equal({
        method: 'POST',
        path: routes.liveChat,
        mediaType: 'application/json',
        cookie: 'advisory-chat=value',
        requestId: 'turn-1',
        body: { attempt },
      });
    }
    expect(bodies).to.deep.equal([...Array(5).fill(formatError('UPSTREAM_OVERLOADED')), 'Week 3.']);
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    expect(code).to.equal(0);
  });

  it('says which cases there are', async () => {
    const bin = join(installed.project, 'node_modules/advisory-chat-client/bin.js');
    const { stdout } = await run([bin, 'cases']);
    const cases = stdout.trimEnd().split('\n');
    expect(cases.map((line) => JSON.parse(line))).to.deep.equal(JSON.parse(JSON.stringify(retryCases)));
    const refused = await run([bin, 'fake', '--case', '0']).catch((error: Error) => error.message);
    expect(refused).to.include(`There is no case 0: the cases are 1 to ${cases.length}.`);
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
import { createConversation, createStoredCooldown, createTranscript, createWebLock, sendTurn } from 'advisory-chat-client';
import { createFakeClock, createFakeLock, createFakeStorage, fails, hangsUp, isIdle, replies, startFakeBackend,
  staysSilent, until } from 'advisory-chat-client/testing';

await using backend = await startFakeBackend();
backend.answer(replies('Week 3.', 'c1'), fails('RATE_LIMITED', { retryAfterSeconds: 5 }), hangsUp, staysSilent);
const clock = createFakeClock();
const conversation = createConversation({ url: backend.url, clock, lock: createFakeLock() });
await until(conversation, isIdle);
await clock.advance(1000);
const storage = createFakeStorage(10);
void [createTranscript(storage, 'chat'), createStoredCooldown(storage, 'wait', clock), createWebLock];
void sendTurn({ url: '/api/chat', messages: [{ role: 'user', content: 'Where do we start?' }] });
// @ts-expect-error There is no such code.
fails('SOLD_OUT');
`;
