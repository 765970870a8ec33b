import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { steadyPort } from '../support/steady-port.ts';
import { createFakeCommand } from './rolling/fake-command.ts';

/** How it ends well under 150 people is in rolling.services.test.ts. */
describe('docs/deploy/rolling-restart', () => {
  let opened: AsyncDisposableStack;
  let commands: string;
  let told: string[];
  /** What the commands print: by what they are told, from its beginning. */
  let says: Record<string, string>;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    const files = opened.adopt(await temporaryDirectory(), ({ remove }) => remove());
    commands = join(files.path, 'commands');
    await mkdir(commands);
    told = [];
    says = {};
    for (const name of ['systemctl', 'docker']) {
      const close = await createFakeCommand(commands, name, async (operands) => {
        told.push(operands);
        return Object.entries(says).find(([beginning]) => operands.startsWith(beginning))?.[1] ?? '';
      });
      opened.defer(close);
    }
  });
  afterEach(() => opened.disposeAsync());

  /** Its exit code and what it complains of. */
  async function roll(...parameters: string[]) {
    const env = { PATH: `${commands}:${process.env.PATH}`, PATIENCE_SECONDS: '1' };
    return run(join(root, 'docs/deploy/rolling-restart'), parameters, { env }).then(
      () => ({ code: 0, stderr: '' }),
      ({ code, stderr }) => ({ code, stderr }),
    );
  }

  /** An instance that says whether it is ready. */
  async function createInstance(isReady: () => boolean): Promise<string> {
    const port = await steadyPort();
    const server = createServer(({ url }, response) => {
      response.writeHead(url === '/readyz' && isReady() ? 200 : 503).end();
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    opened.defer(async () => void server.close());
    return String(port);
  }

  it('restarts one after the other', async () => {
    const ports = [await createInstance(() => true), await createInstance(() => true)];
    expect(await roll('systemd', ...ports)).to.deep.equal({ code: 0, stderr: '' });
    expect(told).to.deep.equal(ports.map((port) => `restart advisory-chat@${port}`));
  });

  it('restarts none where no other one is ready', async () => {
    const port = await createInstance(() => true);
    for (const ports of [[port, String(await steadyPort())], [port]]) {
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
    expect(stderr).to.equal(`advisory-chat@${first} is not ready. Look at: journalctl --unit advisory-chat@${first}\n`);
    expect(told).to.deep.equal([`restart advisory-chat@${first}`]);
  });

  it('stops no container where no other one is healthy', async () => {
    says = { 'compose ps --quiet app': 'one\nother\n', inspect: 'starting\n' };
    expect((await roll('compose')).stderr).to.equal('No other instance is ready: without one nobody would serve.\n');
    expect(told.filter((operands) => /^(stop|rm|compose up)/.test(operands))).to.deep.equal([]);
  });

  it('makes each container anew, and waits for it, before the next one is stopped', async () => {
    says = { 'compose ps --quiet app': 'one\nother\n', inspect: 'healthy\n' };
    expect(await roll('compose')).to.deep.equal({ code: 0, stderr: '' });
    const up = 'compose up --detach --wait --wait-timeout 1 --no-deps --no-recreate app';
    expect(told.filter((operands) => /^(stop|rm|compose up)/.test(operands))).to.deep.equal(
      ['one', 'other'].flatMap((id) => [`stop ${id}`, `rm ${id}`, up]),
    );
  });

  it('says what it is to be told', async () => {
    expect((await roll()).stderr).to.match(/^Say how the instances run: rolling-restart systemd PORT PORT/);
  });
});
