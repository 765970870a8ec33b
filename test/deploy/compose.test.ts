import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';
import { compose } from './compose.ts';
import { stoppingSeconds } from './stopping-seconds.ts';

const { services, networks, 'x-confined': confined } = compose;

describe('docker-compose.yml', () => {
  for (const [name, service] of Object.entries(services)) {
    it(`confines the service ${name} as every other, with a user who is not root, a limit of what it logs and no part of the machine to write to`, () => {
      expect(service).to.deep.include(confined);
      expect(service.user, 'its user').not.to.be.oneOf([undefined, 'root', '0']);
      expect(service.logging?.options).to.include.keys('max-size', 'max-file');
      for (const volume of service.volumes ?? []) expect(volume).to.match(/^\w+:|:ro$/);
    });

    it(`gives no directory of ${name} a mode: runc before 1.1.8, as Debian 12 ships it, keeps that of the image`, () => {
      for (const directory of service.tmpfs ?? []) expect(directory).not.to.include('mode=');
    });
  }

  it('mounts files of docs/ that are there: Docker makes a directory of one that is not', () => {
    const mounted = [...readText('docker-compose.yml').matchAll(/- \.\/(docs\/[^:]+):/g)].map(([, path = '']) => path);
    expect(mounted).not.to.be.empty;
    for (const path of mounted) expect(existsSync(join(root, path)), path).to.equal(true);
  });

  it('opens the ports of the proxy alone, and keeps the database and Redis where it does not reach them', () => {
    const open = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name]) => name)).to.deep.equal(['proxy']);
    for (const { networks: own = [] } of [services.database, services.redis]) {
      for (const network of own) expect(networks[network]?.internal, network).to.equal(true);
    }
  });

  it('has the service where the proxy looks for it', () => {
    const [, port] = /^ENV .*PORT=(\d+)$/m.exec(readText('Dockerfile')) ?? [];
    expect(readText('docs/deploy/nginx.conf')).to.include(`set $instances app:${port};`);
  });

  it('lets the proxy and the service have as many files as they need', () => {
    const [, files] = /^worker_rlimit_nofile (\d+);$/m.exec(readText('docs/deploy/nginx.conf')) ?? [];
    expect(services.proxy.ulimits?.nofile).to.equal(Number(files));
    const { maxStreams } = loadConfig({});
    expect(services.app.ulimits?.nofile).to.be.above(2 * maxStreams);
  });

  it('lets the proxy wait for an instance for little longer than that waits for the database and the provider', () => {
    const [, seconds] = /^ *proxy_read_timeout (\d+)s;$/m.exec(readText('docs/deploy/nginx.conf')) ?? [];
    const databaseSeconds = 10;
    const longest = databaseSeconds + loadConfig({}).modelIdleTimeoutMilliseconds / 1000;
    expect(Number(seconds)).to.be.within(longest + 10, longest + 30);
  });

  it('waits longer for an instance that stops than it takes to', () => {
    const { shutdownDelayMilliseconds, shutdownGraceMilliseconds } = loadConfig({});
    const seconds = (shutdownDelayMilliseconds + shutdownGraceMilliseconds) / 1000 + stoppingSeconds;
    expect(services.app.stop_grace_period).to.match(/^\d+s$/);
    expect(Number.parseInt(services.app.stop_grace_period ?? '', 10)).to.be.above(seconds);
  });

  it('gives the service a login that serves, one for migrations, and never the superuser', () => {
    const { DATABASE_URL = '', DATABASE_MIGRATION_URL = '', POSTGRES_PASSWORD } = services.app.environment ?? {};
    expect(loginOf(DATABASE_URL)).to.deep.equal(['advisory_chat', variable('DATABASE_PASSWORD')]);
    expect(loginOf(DATABASE_MIGRATION_URL)).to.deep.equal(['advisory_chat_owner', variable('DATABASE_OWNER_PASSWORD')]);
    // It is in the .env that the service reads, where the last word is that of `environment`.
    expect(POSTGRES_PASSWORD).to.equal('');
  });

  it('gives Redis a password, and the service the same one', () => {
    const { command = [], environment } = services.redis;
    const password = command[command.indexOf('--requirepass') + 1];
    expect(password).to.equal(variable('REDIS_PASSWORD'));
    expect(environment?.REDISCLI_AUTH).to.match(/^\$\{REDIS_PASSWORD:\?/);
    expect(loginOf(services.app.environment?.REDIS_URL ?? '')).to.deep.equal(['', password]);
  });

  it('starts with no password that is empty: each is asked for, and is in .env.example', () => {
    const text = readText('docker-compose.yml');
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name));
    const asked = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
    expect([...asked]).to.have.members([...used]);
    for (const name of used) expect(readText('.env.example')).to.match(new RegExp(`^${name}=$`, 'm'));
  });
});

describe('the Dockerfile', () => {
  it('ends with a user who is not root', () => {
    const users = [...readText('Dockerfile').matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
    expect(users.at(-1)).to.equal('node');
  });

  it('copies what is there and what .dockerignore lets in, for nothing builds the image here', () => {
    const rules = readText('.dockerignore').split('\n');
    const sources = [...readText('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(sources).not.to.be.empty;
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).to.equal(true);
      expect(rules).to.include(`!${source}`);
    }
  });
});

const variable = (name: string) => `\${${name}}`;

/** User and password of an address, with the names of the variables that stand in it. */
function loginOf(address: string): string[] {
  const [, user = '', password = ''] = /^\w+:\/\/([^:@]*):([^@]*)@/.exec(address) ?? [];
  return [user, password];
}
