import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';
import { compose, stoppingSeconds } from './compose.ts';

const { services } = compose;

describe('docker-compose.yml', () => {
  it('mounts files of docs/ that are there: Docker makes a directory of one that is not', () => {
    const mounted = [...readText('docker-compose.yml').matchAll(/- \.\/(docs\/[^:]+):/g)].map(([, path = '']) => path);
    expect(mounted).not.to.be.empty;
    for (const path of mounted) expect(existsSync(join(root, path)), path).to.equal(true);
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

  it('starts with no password that is empty: each is asked for, and is in .env.example', () => {
    const text = readText('docker-compose.yml');
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name));
    const asked = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
    expect([...asked]).to.have.members([...used]);
    for (const name of used) expect(readText('.env.example')).to.match(new RegExp(`^${name}=$`, 'm'));
  });
});

describe('the Dockerfile', () => {
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
