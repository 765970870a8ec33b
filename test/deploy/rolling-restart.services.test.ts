import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
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

/** How it ends well under 150 people is in rolling.services.test.ts. */
describe('docs/deploy/rolling-restart', () => {
  let opened: AsyncDisposableStack;
  let commands: string;
  let directory: string;
  let told: string[];
  /** What the commands print: by what they are told, from its beginning. */
  let says: Record<string, string>;
  /** What they are told and do not do. */
  let fails: string[];

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    const files = opened.adopt(await temporaryDirectory(), ({ remove }) => remove());
    directory = files.path;
    commands = join(directory, 'commands');
    await mkdir(commands);
    told = [];
    says = {};
    fails = [];
    for (const name of ['systemctl', 'docker', 'docker-compose']) {
      const close = await createFakeCommand(commands, name, async (operands) => {
        told.push(operands);
        if (fails.includes(operands)) throw new Error('It fails.');
        return Object.entries(says).find(([beginning]) => operands.startsWith(beginning))?.[1] ?? '';
      });
      opened.defer(close);
    }
  });
  afterEach(() => opened.disposeAsync());

  /** Its exit code and what it complains of. */
  async function roll(...parameters: string[]) {
    const env = { PATH: `${commands}:${process.env.PATH}`, PATIENCE_SECONDS: '1' };
    return run(join(root, 'docs/deploy/rolling-restart'), parameters, { env, cwd: directory }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      ({ code, stderr }) => ({ code, stderr }),
    );
  }

  /** An instance that says whether it is ready. */
  async function createInstance(isReady: () => boolean): Promise<string> {
    const port = await findNonEphemeralPort();
    const server = createServer(({ url }, response) => {
      response.writeHead(url === '/readyz' && isReady() ? 200 : 503).end();
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    opened.defer(async () => void server.close());
    return String(port);
  }

  it('restarts none where no other one is ready', async () => {
    const port = await createInstance(() => true);
    for (const ports of [[port, String(await findNonEphemeralPort())], [port]]) {
      expect(await roll('systemd', ...ports)).to.deep.equal({
        code: 1,
        stderr: `No other instance is ready: without ${port} nobody would serve.\n`,
      });
    }
    expect(told).to.deep.equal([]);
  });

  it('stops at the first that does not become ready', async () => {
    const first = await createInstance(() => false);
    const second = await createInstance(() => true);
    const { code, stderr } = await roll('systemd', first, second);
    expect(code).to.equal(1);
    expect(stderr).to.equal(`${first} is not ready. Look at: journalctl --unit advisory-chat@${first}\n`);
    expect(told).to.deep.equal([`restart advisory-chat@${first}`]);
  });

  it('stops no container where no other one is healthy', async () => {
    says = { 'compose ps --quiet app': 'one\nother\n', inspect: 'starting\n' };
    expect((await roll('compose')).stderr).to.equal('No other instance is ready: without one nobody would serve.\n');
    expect(told.filter((operands) => /^(stop|rm|compose up)/.test(operands))).to.deep.equal([]);
  });

  for (const [version, prefix, missing] of [
    ['compose 2', 'compose ', []],
    ['compose 1', '', ['compose version']],
  ] as const) {
    it(`changes the schema with ${version}, and waits for each new container before it stops the next one`, async () => {
      says = { [`${prefix}ps --quiet app`]: 'one\nother\n', inspect: 'healthy\n' };
      fails = [...missing];
      expect(await roll('compose')).to.deep.equal({ code: 0, stderr: '' });
      const up = `${prefix}up --detach --no-deps --no-recreate app`;
      expect(told.filter((operands) => /^(stop|rm|(compose )?(up|run))/.test(operands))).to.deep.equal([
        migrate.replace('compose ', prefix),
        ...['one', 'other'].flatMap((id) => [`stop ${id}`, `rm ${id}`, up]),
      ]);
    });
  }

  it('replaces no container where the schema cannot be changed', async () => {
    says = { 'compose ps --quiet app': 'one\nother\n', inspect: 'healthy\n' };
    fails = [migrate];
    const { code, stderr } = await roll('compose');
    expect(code).to.equal(1);
    expect(stderr).to.match(/The schema is not up to date, and no container was replaced\.\n$/);
    expect(told.filter((operands) => /^(stop|rm|compose up)/.test(operands))).to.deep.equal([]);
  });

  it('keeps what a container has logged, which goes with it', async () => {
    says = { 'compose ps --quiet app': 'one\nother\n', inspect: 'healthy\n', 'logs one': 'a line\n' };
    await roll('compose');
    const names = await readdir(join(directory, 'logs'));
    const lines = names.map(async (name) => String(gunzipSync(await readFile(join(directory, 'logs', name)))));
    expect(await Promise.all(lines)).to.include('a line\n');
    expect(told.indexOf('logs one')).to.be.within(told.indexOf('stop one'), told.indexOf('rm one'));
  });

  it('goes on where the lines cannot be kept', async () => {
    says = { 'compose ps --quiet app': 'one\nother\n', inspect: 'healthy\n' };
    fails = ['logs one'];
    expect(await roll('compose')).to.deep.equal({ code: 0, stderr: 'The lines of one are lost.\n' });
    expect(told).to.include('rm other');
  });

  it('stops at the first container that does not become healthy', async () => {
    says = { 'compose ps --quiet app': 'one\nother\n', 'inspect --format {{.State.Health.Status}} other': 'healthy\n' };
    const { code, stderr } = await roll('compose');
    expect([code, stderr]).to.deep.equal([1, 'one is not ready. Look at: docker logs one\n']);
    expect(told).not.to.include('stop other');
  });
});
