import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { createFakeCommand } from './rolling/fake-command.ts';

const migrate = 'compose run --rm --no-deps -T migrate';

/** rolling.services.test.ts tests a restart under load. */
describe('docs/deploy/rolling-restart', () => {
  let opened: AsyncDisposableStack;
  let commands: string;
  let directory: string;
  let calls: string[];
  /** Outputs of the fake commands, one after the other, keyed by a prefix of their arguments. The last one is repeated. */
  let outputs: Record<string, string | string[]>;
  /** The arguments with which the fake commands fail. */
  let failures: string[];
  let patienceSeconds: string;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    const files = opened.adopt(await temporaryDirectory(), ({ remove }) => remove());
    directory = files.path;
    commands = join(directory, 'commands');
    await mkdir(commands);
    calls = [];
    outputs = { 'compose ps --quiet app': 'one\nother\n', inspect: 'healthy\n' };
    failures = [];
    patienceSeconds = '1';
    for (const name of ['systemctl', 'docker', 'docker-compose']) {
      const close = await createFakeCommand(commands, name, async (operands) => {
        calls.push(operands);
        if (failures.includes(operands)) throw new Error('It fails.');
        const output = Object.entries(outputs).find(([beginning]) => operands.startsWith(beginning))?.[1] ?? '';
        if (typeof output === 'string') return output;
        return (output.length > 1 ? output.shift() : output[0]) ?? '';
      });
      opened.defer(close);
    }
  });
  afterEach(() => opened.disposeAsync());

  async function roll(...parameters: string[]) {
    const env = { PATH: `${commands}:${process.env.PATH}`, PATIENCE_SECONDS: patienceSeconds };
    return run(join(root, 'docs/deploy/rolling-restart'), parameters, { env, cwd: directory }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      ({ code, stderr }) => ({ code, stderr }),
    );
  }

  async function listen(listener: RequestListener, port: number): Promise<void> {
    const server = createServer(listener).listen(port, '127.0.0.1');
    opened.defer(async () => void server.close());
    await once(server, 'listening');
  }

  async function createInstance(isReady: () => boolean, port?: number): Promise<string> {
    const own = port ?? (await findNonEphemeralPort());
    await listen(({ url }, response) => void response.writeHead(url === '/readyz' && isReady() ? 200 : 503).end(), own);
    return String(own);
  }

  const stopped = () => calls.filter((operands) => operands.startsWith('stop'));
  const holdsAnswers = (instance: string) =>
    `Cannot restart ${instance}: it holds answers that the database does not have. See AdvisoryChatAnswersWait in docs/runbook.md.\n`;
  const metricsWith = (answers: number) =>
    `# HELP advisory_chat_late_writes …\nadvisory_chat_late_writes ${answers}\nadvisory_chat_open_streams 7\n`;

  it('restarts no unit with answers that are not in the database yet', async () => {
    const other = await createInstance(() => true);
    let port: string | undefined;
    // The metrics are at the port + 10000, so both must be free.
    for (let candidate = 3_001; port === undefined; candidate += 1) {
      port = await listen((_request, response) => void response.end(metricsWith(12)), candidate + 10_000)
        .then(() => createInstance(() => true, candidate))
        .catch(() => undefined);
    }
    expect(await roll('systemd', port, other)).to.deep.equal({ code: 1, stderr: holdsAnswers(port) });
    expect(calls).to.deep.equal([]);
  });

  for (const [reason, changes, sentence, stops] of [
    ...[1, 9, 10, 12].map(
      (answers) =>
        [
          `it holds ${answers} answers`,
          { outputs: { 'exec one': metricsWith(answers) } },
          holdsAnswers('one'),
          [],
        ] as const,
    ),
    [
      'no other container is healthy',
      { outputs: { inspect: 'starting\n' } },
      'Cannot restart one: no other instance is ready.\n',
      [],
    ],
    ['the migration fails', { failures: [migrate] }, 'The migration failed. No container was replaced.\n', []],
    [
      'the first one does not become healthy',
      { outputs: { 'inspect --format {{.State.Health.Status}} other': 'healthy\n', inspect: '' } },
      'one is not ready. See: docker logs one\n',
      ['stop one'],
    ],
  ] as [string, { outputs?: Record<string, string>; failures?: string[] }, string, string[]][]) {
    it(`stops no further container if ${reason}`, async () => {
      outputs = { ...changes.outputs, ...outputs, ...changes.outputs };
      failures = changes.failures ?? [];
      const { code, stderr } = await roll('compose');
      expect([code, stderr.slice(-sentence.length)]).to.deep.equal([1, sentence]);
      expect(stopped()).to.deep.equal(stops);
    });
  }

  it('replaces a container once its answers are in the database, and the next container once the new one is healthy', async () => {
    outputs = {
      'inspect --format {{.State.Health.Status}} one': ['starting\n', 'healthy\n'],
      'exec one': [metricsWith(1), metricsWith(0)],
      ...outputs,
    };
    patienceSeconds = '60';
    expect(await roll('compose')).to.deep.equal({ code: 0, stderr: '' });
    expect(stopped()).to.deep.equal(['stop one', 'stop other']);
  });

  it('restarts no unit if no other unit is ready', async () => {
    const port = await createInstance(() => true);
    for (const ports of [[port, String(await findNonEphemeralPort())], [port]]) {
      expect(await roll('systemd', ...ports)).to.deep.equal({
        code: 1,
        stderr: `Cannot restart ${port}: no other instance is ready.\n`,
      });
    }
    expect(calls).to.deep.equal([]);
  });

  it('stops at the first unit that does not become ready', async () => {
    const first = await createInstance(() => false);
    const second = await createInstance(() => true);
    expect(await roll('systemd', first, second)).to.deep.equal({
      code: 1,
      stderr: `${first} is not ready. See: journalctl --unit advisory-chat@${first}\n`,
    });
    expect(calls).to.deep.equal([`restart advisory-chat@${first}`]);
  });

  for (const [version, prefix, missing] of [
    ['compose 2', 'compose ', []],
    ['compose 1', '', ['compose version']],
  ] as const) {
    it(`migrates with ${version}, and waits for each new container before it stops the next one`, async () => {
      outputs = { ...outputs, [`${prefix}ps --quiet app`]: 'one\nother\n' };
      failures = [...missing];
      expect(await roll('compose')).to.deep.equal({ code: 0, stderr: '' });
      const up = `${prefix}up --detach --no-deps --no-recreate app`;
      expect(calls.filter((operands) => /^(stop|rm|(compose )?(up|run))/.test(operands))).to.deep.equal([
        migrate.replace('compose ', prefix),
        ...['one', 'other'].flatMap((id) => [`stop ${id}`, `rm ${id}`, up]),
      ]);
    });
  }

  it('saves the log of a container before it removes it', async () => {
    outputs = { ...outputs, 'logs one': 'a line\n' };
    await roll('compose');
    const names = await readdir(join(directory, 'logs'));
    const lines = names.map(async (name) => String(gunzipSync(await readFile(join(directory, 'logs', name)))));
    expect(await Promise.all(lines)).to.include('a line\n');
    expect(calls.indexOf('logs one')).to.be.within(calls.indexOf('stop one'), calls.indexOf('rm one'));
  });

  it('continues if a log cannot be saved', async () => {
    failures = ['logs one'];
    expect(await roll('compose')).to.deep.equal({ code: 0, stderr: 'Cannot save the log of one.\n' });
    expect(calls).to.include('rm other');
  });
});
