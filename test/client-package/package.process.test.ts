import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { build } from 'vite';
import { checkCase, commandClient } from '../../client-package/testing/client-check.ts';
import { type RetryCase, retryCases } from '../../client-package/testing/retry-cases.ts';
import { formatError } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { readDocument } from '../support/document.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { root } from '../support/served-process.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { findNodes, type InstalledPackage, installedPackage } from './installed-package.ts';
import { checkRepeatedly, runConcurrently } from './run-concurrently.ts';

/** Shorter than the timeout of a test, so that a child that hangs is killed and its output is shown. */
const maxMilliseconds = 100_000;

const readme = readDocument('client-package/README.md');

/** The versions of Node have different implementations of `fetch`. */
function dependsOnFetch({ failures }: RetryCase): boolean {
  return failures.some(
    ({ answer }) =>
      answer === null || answer.isCut || answer.silence || answer.chunkBytes || answer.headers.Location !== undefined,
  );
}

describe('The package advisory-chat-client', () => {
  let app: TestApp;
  let installed: InstalledPackage;

  before(async () => {
    app = await createTestApp({ limits: { demo: 1000 } });
    installed = await installedPackage();
  });
  beforeEach(() => app.provider.reset());
  after(() => app.close());

  async function writeExample(heading: string, name: string, { url } = app): Promise<string> {
    const file = join(installed.project, name);
    await writeFile(
      file,
      readme.codeUnder(heading, name.endsWith('.ts') ? 'ts' : 'js').replace('http://localhost:3000', url),
    );
    return file;
  }

  /** Runs Node in the project. If it fails, the error contains its output. */
  async function run(parameters: readonly string[], node = process.execPath) {
    const options = { cwd: installed.project, timeout: maxMilliseconds };
    return promisify(execFile)(node, parameters, options).catch(({ message, stdout, stderr }) => {
      throw new Error([message, stdout, stderr].join('\n'));
    });
  }

  async function runOnEachNode(...parameters: string[]): Promise<{ stdout: string; stderr: string }[]> {
    const outputs = [];
    for (const node of (await findNodes()).values()) outputs.push(await run(parameters, node));
    return outputs;
  }

  const bin = () => join(installed.project, 'node_modules/advisory-chat-client/bin.js');

  // Without a timeout, because the first request can exceed mocha's two seconds on a busy machine.
  const mocha = [join(root, 'node_modules/mocha/bin/mocha.js'), '--no-config', '--timeout', '0'];

  it('is smaller than 52 kB gzipped, with comments and the test kit', () => {
    const [, kilobytes] = /: ([\d.]+) kB of modules, gzipped\n$/.exec(installed.buildOutput) ?? [];
    // The larger part of the test kit is zod, which only its fake service loads.
    expect(Number(kilobytes)).to.be.greaterThan(0).and.lessThan(52);
  });

  it('adds less than 10 kB to a page, minified and gzipped', async () => {
    const input = join(installed.project, 'node_modules/advisory-chat-client/main.js');
    const bundled = await build({
      configFile: false,
      logLevel: 'silent',
      build: { write: false, minify: true, rolldownOptions: { input, preserveEntrySignatures: 'strict' } },
    });
    const chunks = [bundled].flat().flatMap((each) => ('output' in each ? each.output : []));
    const code = chunks.map((chunk) => ('code' in chunk ? chunk.code : '')).join('');
    expect(code).to.include('createConversation');
    expect(gzipSync(code).length).to.be.lessThan(10_000);
  });

  it('loads neither Node modules nor zod, not even dynamically, except in the part of its test kit for Node', async () => {
    for (const entry of ['main.js', 'testing.js', 'truncation.js']) {
      const modules = [...(await modulesOf(entry)).values()].join('\n');
      expect(modules, entry).not.to.match(/"node:|\bimport\(|node_modules\/zod/);
    }
  });

  /** Returns the texts of a module and of those that it imports statically, by name. */
  async function modulesOf(name: string, found = new Map<string, string>()): Promise<Map<string, string>> {
    if (found.has(name)) return found;
    const text = await readFile(join(installed.project, 'node_modules/advisory-chat-client', name), 'utf8');
    found.set(name, text);
    for (const [, from = ''] of text.matchAll(/^(?:import|export) .*? from "\.\/([^"]+)"/gm))
      await modulesOf(from, found);
    return found;
  }

  it('contains modules with source maps and types, and has no dependencies', async () => {
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
      const code = await readFile(join(directory, name), 'utf8');
      const reexportsOnly = code.split('\n').every((line) => /^(import .*|export .*|)$/.test(line));
      if (!reexportsOnly) {
        const map = JSON.parse(await readFile(join(directory, `${name}.map`), 'utf8'));
        expect(map.sourcesContent, name).to.have.length(map.sources.length);
      }
      const imports = code.matchAll(/^import .*? from "([^"]+)"/gm);
      for (const [, from] of imports) expect(from, name).to.match(name === 'main.js' ? /^\.\// : /^(\.\/|node:)/);
    }
  });

  const answer = `${defaultReply.text}\n`;
  const conversation = ['Where do we start?', 'And then?'].map((question) => `> ${question}\n\n${answer}\n(done)\n\n`);
  for (const [heading, name, output] of [
    ['## Send one turn', 'one-turn.js', `${answer}(done)\nAttempt 1 (ID): done\n`],
    ['## Keep a conversation', 'conversation.js', conversation.join('')],
    ['### The end of the session', 'session.js', 'Go to /sign-in.\nNot sent: Where do we start?\n'],
    ['### Versions', 'versions.js', ''],
  ] as const) {
    it(`runs the README example under “${heading.replace(/^#+ /, '')}”, on every installed Node`, async () => {
      for (const { stdout, stderr } of await runOnEachNode(await writeExample(heading, name))) {
        expect((stdout + stderr).replace(/[\w-]{36}/, 'ID')).to.equal(output);
      }
    });
  }

  it('prints why a turn failed in the README example that sends one turn', async () => {
    app.provider.answerWith({ refuse: { status: 500, type: 'api_error', message: 'Scripted.' } });
    const { stdout, stderr } = await run([await writeExample('## Send one turn', 'one-turn.js')]);
    expect(stdout).to.match(/^\nThe model could not finish the reply\. \(request [\w-]{36}\)\n$/);
    expect(stderr).to.match(/^Attempt 1 \(.*\): failed\nAttempt 2 \(.*\): failed\n$/);
  });

  it('prints the wait after a 429 in the README example of a conversation, and lets the process exit', async () => {
    await using limited = await createTestApp({ limits: { demo: 1 } });
    const { stdout } = await run([await writeExample('## Keep a conversation', 'limited.js', limited)]);
    expect(stdout).to.match(/\(done\)\n\n> And then\?\n\n\n\n\(failed: Too many requests\.\)\n\n/);
    expect(stdout).to.match(/No further question for 3(600|5\d\d) s\.\n$/);
  });

  it('runs the README example of a test, on every installed Node', async () => {
    const file = await writeExample('## Test a client', 'client.test.js');
    for (const { stdout } of await runOnEachNode(...mocha, file)) expect(stdout).to.include('1 passing');
  });

  it('runs the README test of a client with its own retry loop as TypeScript, and as JavaScript on every installed Node', async () => {
    const file = await writeExample('### A client with its own retry loop', 'my-client.test.ts');
    expect((await run([...mocha, file])).stdout).to.include('6 passing');
    const output = { noEmit: false, outDir: join(installed.project, 'compiled') };
    await compile(['my-client.test.ts'], { ...forNode, ...output });
    for (const { stdout } of await runOnEachNode(...mocha, join(output.outDir, 'my-client.test.js'))) {
      expect(stdout).to.include('6 passing');
    }
  });

  it('has a README client that conforms to the cases of broken, silent and redirected responses, on each Node but the one that runs the tests', async () => {
    const file = await writeExample('### A client in another language', 'my-client.js');
    const [own = '', ...others] = (await findNodes()).values();
    // The terminal client and client-check.test.ts check the same code on the Node that runs the tests.
    const nodes = others.length > 0 ? others : [own];
    const runs = nodes.flatMap((node) => retryCases.filter(dependsOnFetch).map((retryCase) => ({ node, retryCase })));
    expect(runs.length).to.be.greaterThan(0);
    // At a higher speed, a busy machine delays a silent connection beyond its bounds.
    const differences = await runConcurrently(runs, 4, async ({ node, retryCase }) => [
      `${retryCase.title} on ${node}`,
      await checkRepeatedly(() => checkCase(retryCase, commandClient([node, file]), 30)),
    ]);
    expect([...differences].filter(([, difference]) => difference !== null)).to.deep.equal([]);
  });

  it('checks a client on every installed Node, and prints the first difference of a client that fails', async () => {
    const file = await writeExample('### A client in another language', 'my-client.js');
    for (const node of (await findNodes()).values()) {
      const passed = 'pass 9 the table: five overloads\n1 of 1 cases pass.\n';
      const difference = await checkRepeatedly(async () => {
        const check = run([bin(), 'check', '--case', '9', '--', node, file], node);
        return check.then(({ stdout }) => (stdout === passed ? null : stdout), String);
      });
      expect(difference).to.equal(null);
    }

    const silent = join(installed.project, 'silent-client.js');
    await writeFile(silent, '');
    const check = (...options: string[]) =>
      run([bin(), 'check', ...options, '--case', '9', '--', process.execPath, silent]).catch(({ message }) => message);
    expect(await check()).to.include(
      'FAIL 9 the table: five overloads: sent the first question 0 times instead of 5 times\n0 of 1 cases pass.',
    );
    expect(await check('--tap')).to.include(
      'TAP version 14\n1..1\nnot ok 1 - 9 the table: five overloads\n  ---\n  message: "sent the first',
    );
  });

  it('has types that work without @types/node and reject mistakes', async () => {
    await writeFile(join(installed.project, 'uses.ts'), uses);
    await compile(['uses.ts'], { types: [], lib: ['es2022', 'dom', 'dom.iterable'] });
  });

  for (const resolution of [{ module: 'nodenext' }, { module: 'preserve', moduleResolution: 'bundler' }]) {
    it(`has types that work without the DOM, with module “${resolution.module}”`, async () => {
      await copyFile(join(root, 'docs/examples/terminal-client.ts'), join(installed.project, 'terminal-client.ts'));
      await writeFile(join(installed.project, 'fakes.ts'), fakes);
      await writeExample('### A client with its own retry loop', 'my-client.test.ts');
      await compile(['terminal-client.ts', 'fakes.ts', 'my-client.test.ts'], { ...forNode, ...resolution });
    });
  }

  it('has README examples that pass the type check', async () => {
    const examples = {
      'conversation.js': '## Keep a conversation',
      'session.js': '### The end of the session',
      'versions.js': '### Versions',
      'one-turn.js': '## Send one turn',
      'client.test.js': '## Test a client',
      'my-client.js': '### A client in another language',
    };
    for (const [name, heading] of Object.entries(examples)) await writeExample(heading, name);
    const lib = [...forNode.lib, 'dom', 'dom.iterable'];
    await compile(Object.keys(examples), { ...forNode, lib, allowJs: true, checkJs: true, noImplicitAny: false });
  });

  it('publishes only the types of its public API', async () => {
    const directory = join(installed.project, 'node_modules/advisory-chat-client');
    const types = installed.files.filter((name) => name.endsWith('.d.ts'));
    const all = (await Promise.all(types.map((name) => readFile(join(directory, name), 'utf8')))).join('\n');
    for (const internal of ['transition', 'createStore', 'displayableText', 'ConversationTree', 'PendingTurn']) {
      expect(all).not.to.match(new RegExp(`\\b${internal}\\b`));
    }
    expect(all).to.match(/type ErrorCode = "INVALID_JSON" \| /);
  });

  it('serves a case of the retry table on the command line, and prints the requests', async () => {
    const linked = join(installed.project, 'node_modules/.bin/advisory-chat-client');
    const child = spawn(linked, ['fake', '--case', '9'], { cwd: installed.project });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? 'null');
    const { url, case: retryCase } = await next();
    expect(retryCase).to.deep.equal(JSON.parse(JSON.stringify(retryCases[8])));
    const headers = { 'Content-Type': 'application/json', 'X-Request-Id': 'turn-1', Cookie: 'advisory-chat=value' };
    const messages = [{ role: 'user', content: 'Where do we stand?' }];
    const bodies = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ messages, attempt }) });
      bodies.push(await response.text());
      const { atMilliseconds, ...received } = await next();
      expect(atMilliseconds).to.be.at.least(0);
      expect(received).to.deep.equal({
        method: 'POST',
        path: routes.liveChat,
        mediaType: 'application/json',
        cookie: 'advisory-chat=value',
        requestId: 'turn-1',
        body: { messages, attempt },
      });
    }
    expect(bodies).to.deep.equal([...Array(5).fill(formatError('UPSTREAM_OVERLOADED')), 'Week 3.']);
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    expect(code).to.equal(0);
  });

  it('lists the cases, as JSON', async () => {
    const { stdout } = await run([bin(), 'cases']);
    expect(stdout).to.equal(retryCases.map((each) => `${JSON.stringify(each)}\n`).join(''));
  });

  for (const [parameters, message] of [
    [['fake', '--case', '0'], `--case must be an integer from 1 to ${retryCases.length}, not "0".`],
    [['check', '--case', 'x', '--', 'node'], `--case must be an integer from 1 to ${retryCases.length}, not "x".`],
    [['check', '--speed', 'abc', '--', 'node'], '--speed must be a number from 1 to 100, not "abc".'],
    [['check', '--speed', '0', '--', 'node'], '--speed must be a number from 1 to 100, not "0".'],
    [['fake', '--case', '9', '--port', '99999'], '--port must be an integer from 0 to 65535, not "99999".'],
    [['fake', '--case', '9', '--tap'], "Unknown option '--tap'"],
    [['cases', '9'], "Unexpected argument '9'"],
    [['list'], 'Usage: advisory-chat-client check'],
    [['check', '--', 'no-such-command'], 'The command "no-such-command" cannot be started: ENOENT.'],
  ] as const) {
    it(`refuses “${parameters.join(' ')}”, and prints the reason once`, async () => {
      const child = spawn(process.execPath, [bin(), ...parameters]);
      const [output, notes, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      expect([output, code]).to.deep.equal(['', 1]);
      expect(notes.split(message)).to.have.length(2);
    });
  }

  it('prints each result as soon as its case and those before it have ended', async () => {
    const file = join(installed.project, 'empty-client.js');
    await writeFile(file, '');
    const child = spawn(process.execPath, [bin(), 'check', '--', process.execPath, file]);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).to.match(/^FAIL 1 /);
    expect(child.exitCode).to.equal(null);
    child.kill();
    await once(child, 'close');
  });

  it('prints its usage, and nothing to the standard error if the reader of its output stops reading', async () => {
    expect((await run([bin(), '--help'])).stdout).to.match(/^Usage: advisory-chat-client check /);
    const child = spawn(process.execPath, [bin(), 'cases'], { cwd: installed.project });
    child.stdout.destroy();
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect([errors, code]).to.deep.equal(['', 0]);
  });

  it('serves a case on the given port', async () => {
    const used = new URL(app.url).port;
    const refused = await run([bin(), 'fake', '--case', '9', '--port', used]).catch((error: Error) => error.message);
    expect(refused).to.include(`EADDRINUSE: address already in use 127.0.0.1:${used}`);
  });

  const forNode = {
    types: ['node', 'mocha'],
    typeRoots: [join(root, 'node_modules/@types')],
    lib: ['es2024', 'esnext.disposable'],
  };

  async function compile(files: readonly string[], compilerOptions: object): Promise<void> {
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
    const project = join(installed.project, `${files[0]}.json`);
    await writeFile(project, JSON.stringify({ compilerOptions: options, files }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    await run([compiler, '--project', project]);
  }
});

const uses = `
import { attempt, type Conversation, createConversation, createTranscript, createWebLock, type ErrorCode, isRefusal,
  nextDelaySeconds, sendTurn, type TurnOutcome } from 'advisory-chat-client';
import { createFakeClock, createFakeLock, createFakeStorage, isIdle, type RetryCase, retryCases, until } from 'advisory-chat-client/testing';
import { mayBeTruncated } from 'advisory-chat-client/truncation';

const url = '${routes.liveChat}';
const conversation: Conversation = createConversation({
  url,
  persist: 'chat',
  headers: new Headers(),
  transcript: createTranscript(localStorage, 'chat'),
  lock: createWebLock(navigator.locks, 'chat'),
});
const outcome: TurnOutcome | null = await conversation.send();
if (isRefusal(outcome)) { const code: 'UNAUTHENTICATED' | 'NOT_ONBOARDED' = outcome.code; void code; }
if (outcome?.type === 'failed') { const code: ErrorCode | undefined = outcome.code; void code; }
const delay: number | null = nextDelaySeconds([{ code: 'RATE_LIMITED', retryAfterSeconds: 5 }]);
const messages = [{ role: 'user' as const, content: 'Where do we start?' }];
await sendTurn({ url, messages }, { onPhase: (phase) => void (phase.name === 'offline' || phase.attempt) });
void delay;
const firstCase: RetryCase | undefined = retryCases[0];
await until(createConversation({ url, clock: createFakeClock(), lock: createFakeLock() }), isIdle);
void [firstCase, createFakeStorage(10), mayBeTruncated];

// @ts-expect-error url is required
createConversation({});
// @ts-expect-error not a string
void conversation.send(1);
// @ts-expect-error unknown role
void attempt({ url, messages: [{ role: 'system', content: 'Be brief.' }] });
// @ts-expect-error not a string
void attempt({ url, messages, conversationId: 1 });
// @ts-expect-error possibly null
void outcome.type;
// @ts-expect-error unknown outcome
if (outcome?.type === 'lost') void 0;
`;

const fakes = `
import { createConversation, createTranscript } from 'advisory-chat-client';
import { createFakeClock, createFakeLock, createFakeStorage, isIdle, until } from 'advisory-chat-client/testing';
import { fails, startFakeBackend } from 'advisory-chat-client/testing/node';

await using backend = await startFakeBackend();
const transcript = createTranscript(createFakeStorage(10), 'chat');
const conversation = createConversation({ url: backend.url, clock: createFakeClock(), lock: createFakeLock(), transcript });
await until(conversation, isIdle);
// @ts-expect-error unknown code
fails('SOLD_OUT');
`;
