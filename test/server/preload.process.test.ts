import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { compileCacheDirectory } from '../support/compile-cache.ts';
import { perSuite } from '../support/per-suite.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';

const run = promisify(execFile);
const preload = `--import=${join(root, 'server/preload.js')}`;

/** The entry point of each npm script, after the module that the script preloads, if any. `dev` has that of `start`. */
const programs = {
  start: ['server/main.js'],
  admin: ['--import=./server/preload.js', 'server/admin/main.ts'],
  doctor: ['--import=./server/preload.js', 'server/doctor/main.ts'],
  migrate: ['--import=./server/preload.js', 'server/migrate.ts'],
};

const oldNodeMessage = (version: string) =>
  `Advisory Chat needs Node 24 or newer, and this is ${version}. After npm ci, the npm scripts run on a Node of their own.\n`;

async function runUntilFailure(node: string, parameters: readonly string[], cwd = root) {
  const env = { NODE_COMPILE_CACHE: compileCacheDirectory };
  const failure = await run(node, [...parameters], { cwd, env }).then(
    () => undefined,
    (error: { code: number; stderr: string }) => error,
  );
  return { code: failure?.code, errorOutput: failure?.stderr };
}

/** A Node on the PATH that is too old, if there is one. */
const olderNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'node'))
  .filter((file) => existsSync(file))
  .map((file) => ({ file, version: execFileSync(file, ['--version'], { encoding: 'utf8' }).trim() }))
  .find(({ version }) => Number.parseInt(version.slice(1), 10) < 24);

describe('npm run', () => {
  for (const [script, program] of Object.entries(programs)) {
    it(`${script} exits with one sentence on a Node that is too old`, async () => {
      const older = `Object.defineProperties(process, {
        version: { value: 'v20.20.2' }, versions: { value: { ...process.versions, node: '20.20.2' } } })`;
      const fakeVersion = `--import=data:text/javascript,${encodeURIComponent(older)}`;
      const expected = { code: 1, errorOutput: oldNodeMessage('v20.20.2') };
      expect(await runUntilFailure(process.execPath, [fakeVersion, ...program])).to.deep.equal(expected);
      if (olderNode === undefined) return;
      const { file, version } = olderNode;
      expect(await runUntilFailure(file, program)).to.deep.equal({ code: 1, errorOutput: oldNodeMessage(version) });
    });
  }
});

describe('.env', () => {
  const directory = perSuite(() => temporaryDirectory());

  /** Runs a program in a directory whose `.env` file has these lines. By default it prints the variables. */
  async function runWith(
    lines: readonly string[] | Buffer,
    words: readonly string[] = ['--print', 'JSON.stringify(process.env)'],
    environment: Record<string, string> = {},
  ) {
    const content = lines instanceof Buffer ? lines : `${lines.join('\n')}\n`;
    await writeFile(join(directory.path, '.env'), content);
    const result = await run(process.execPath, [preload, ...words], {
      cwd: directory.path,
      env: { NODE_COMPILE_CACHE: compileCacheDirectory, ...environment },
    }).catch((error: { stdout: string; stderr: string }) => error);
    return `${result.stdout}${result.stderr}`;
  }

  const unreachable = 'DATABASE_URL=postgresql://user@127.0.0.1:9/advice';

  it('is read by doctor, admin and migrate', async () => {
    const outputOf = (program: string, ...words: string[]) => runWith([unreachable], [join(root, program), ...words]);
    expect(await outputOf('server/doctor/main.ts')).to.match(/^FAILED +Database +.*ECONNREFUSED/m);
    expect(await outputOf('server/admin/main.ts', 'list-users')).to.include('ECONNREFUSED');
    expect(await outputOf('server/migrate.ts')).to.include('ECONNREFUSED');
  });

  it('does not override variables of the environment, even empty ones', async () => {
    const own = { DATABASE_URL: '', NODE_ENV: 'development' };
    const variables = JSON.parse(await runWith([unreachable, 'NODE_ENV=production', 'PORT=4100'], undefined, own));
    expect(variables).to.include({ ...own, PORT: '4100' });
  });

  it('can start with a byte order mark, and must be UTF-8', async () => {
    expect(JSON.parse(await runWith(['\ufeffPORT=4100']))).to.include({ PORT: '4100' });
    const utf16 = Buffer.from('\ufeffPORT=4100', 'utf16le');
    expect(await runWith(utf16)).to.equal('.env is not UTF-8 text.\n');
  });

  it('is read by the service', async () => {
    await writeFile(join(directory.path, '.env'), 'PORT=eighty\n');
    const program = [join(root, 'server/main.js')];
    const { code, errorOutput } = await runUntilFailure(process.execPath, program, directory.path);
    expect(code).to.equal(1);
    expect(errorOutput).to.include('PORT must be a port number from 0 to 65535.');
  });
});
