import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { environmentSchema } from '../../server/config/environment.ts';
import { readText } from '../support/document.ts';
import { perSuite } from '../support/per-suite.ts';
import { nodeOptions, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { stoppingSeconds } from './compose.ts';

const name = 'advisory-chat@.service';
const unit = readText(`docs/deploy/${name}`);

const settings = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe(`docs/deploy/${name}`, () => {
  let instance: string;

  const files = perSuite(() => temporaryDirectory());
  before(async () => {
    instance = join(files.path, 'advisory-chat@3001.service');
    await mkdir(files.path, { recursive: true });
    await writeFile(instance, unit.replace('/usr/bin/node', process.execPath));
  });

  it('is a valid unit', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', instance]);
    expect(stdout + stderr).not.to.include('advisory-chat@');
  });

  it('leaves no core dump, which would contain secrets', () => {
    expect(settings('LimitCORE')).to.deep.equal(['0']);
  });

  it('has a low exposure score in systemd-analyze', async () => {
    await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', instance]);
  });

  it('starts Node like npm start, with known variables', () => {
    expect(settings('ExecStart')).to.deep.equal([`/usr/bin/node ${nodeOptions.join(' ')} server/main.js`]);
    const variables = Object.fromEntries(
      settings('Environment')
        .flatMap((line) => line.split(' '))
        .map((pair) => pair.replaceAll('%i', '3001').split('=')),
    );
    expect(Object.keys(environmentSchema.shape)).to.include.members(Object.keys(variables));
    const { NODE_ENV, ...others } = variables;
    expect(NODE_ENV).to.equal('production');
    expect(loadConfig(others)).to.deep.include({
      host: '127.0.0.1',
      port: 3001,
      trustProxy: true,
      metrics: { host: '127.0.0.1', port: 13_001 },
    });
  });

  it('uses the same ports as prometheus.yml and as nginx-instances-by-port.conf, where no instance is ever marked as failed', () => {
    const ports = [...(/@(\d+) advisory-chat@(\d+)$/m.exec(unit)?.slice(1) ?? [])];
    const servers = [...readText('docs/deploy/nginx-instances-by-port.conf').matchAll(/^ +server (.*);$/gm)];
    expect(servers.map(([, server]) => server)).to.deep.equal(ports.map((port) => `127.0.0.1:${port} max_fails=0`));
    const targets = `[${ports.map((port) => `127.0.0.1:1${port}`).join(', ')}]`;
    expect(readText('docs/deploy/prometheus.yml')).to.include(`targets: ${targets}\n`);
  });

  it('waits longer than an instance needs to stop, and allows enough open files', () => {
    const { shutdownDelayMilliseconds, shutdownGraceMilliseconds, maxStreams } = loadConfig({});
    const seconds = (shutdownDelayMilliseconds + shutdownGraceMilliseconds) / 1000 + stoppingSeconds;
    expect(Number(settings('TimeoutStopSec')[0])).to.be.above(seconds);
    expect(Number(settings('LimitNOFILE')[0])).to.be.above(2 * maxStreams);
  });
});

describe('docs/deploy/nginx-stop.conf', () => {
  const files = perSuite(() => temporaryDirectory());

  it("is a valid drop-in, and gives nginx more time to stop than an instance's longest reply", async () => {
    const dropIn = readText('docs/deploy/nginx-stop.conf');
    const unit = join(files.path, 'nginx.service');
    await mkdir(`${unit}.d`, { recursive: true });
    await writeFile(unit, '[Service]\nType=forking\nExecStart=/usr/sbin/nginx\nExecStop=/bin/false\n');
    await writeFile(join(`${unit}.d`, 'advisory-chat.conf'), dropIn);
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]);
    expect(stdout + stderr).not.to.include('nginx.service');
    const [, quitSeconds] = /QUIT\/(\d+) /.exec(dropIn) ?? [];
    const [, stopSeconds] = /^TimeoutStopSec=(\d+)$/m.exec(dropIn) ?? [];
    expect(Number(quitSeconds)).to.be.above(loadConfig({}).shutdownGraceMilliseconds / 1000);
    expect(Number(stopSeconds)).to.be.above(Number(quitSeconds));
  });
});
