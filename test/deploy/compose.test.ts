import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { readText } from '../support/document.ts';
import { compose } from './compose.ts';
import { stoppingSeconds } from './stopping-seconds.ts';

const { services, networks } = compose;

describe('docker-compose.yml', () => {
  for (const [name, service] of Object.entries(services)) {
    describe(`the service ${name}`, () => {
      it('has no capability, and no way to more rights', () => {
        expect(service.cap_drop).to.deep.equal(['ALL']);
        expect(service).not.to.have.any.keys('cap_add', 'privileged', 'network_mode', 'pid');
        expect(service.security_opt).to.deep.equal(['no-new-privileges:true']);
      });

      it('does not run as root', () => {
        expect(service.user).to.match(/^(?!root|0)\w+$/);
      });

      it('writes to no file of its image or of the machine', () => {
        expect(service.read_only).to.equal(true);
        for (const volume of service.volumes ?? []) expect(volume).to.match(/^\w+:|:ro$/);
        expect(JSON.stringify(service)).not.to.include('docker.sock');
      });

      it('gives no directory a mode: runc before 1.1.8, as Debian 12 ships it, keeps that of the image', () => {
        for (const directory of service.tmpfs ?? []) expect(directory).not.to.include('mode=');
      });

      it('has a limit of what it logs', () => {
        expect(service.logging?.options).to.include.keys('max-size', 'max-file');
      });

      it('has a limit of memory and of processes', () => {
        expect(service.mem_limit).to.match(/^\d+[mg]$/);
        expect(service.pids_limit).to.be.within(1, 512);
      });

      it('names its networks, and they are those below', () => {
        expect(service.networks).to.have.length.at.least(1);
        for (const network of service.networks ?? []) expect(networks).to.have.property(network);
      });
    });
  }

  it('opens the ports of the proxy alone', () => {
    const open = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name, { ports }]) => [name, ports])).to.deep.equal([['proxy', ['80:80', '443:443']]]);
  });

  it('has two instances of the service, which the proxy finds by its name', () => {
    expect(services.app.deploy?.replicas).to.equal(2);
    expect(services.app).not.to.have.any.keys('container_name', 'ports');
    expect(readText('docs/deploy/nginx.conf')).to.include('set $instances app:3000;');
    expect(readText('Dockerfile')).to.match(/^ENV .*PORT=3000$/m);
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

  it('keeps the database and Redis where neither the proxy nor the world reaches them', () => {
    expect(networks.data?.internal).to.equal(true);
    expect(services.proxy.networks).to.deep.equal(['edge']);
    expect(services.app.networks).to.have.members(['edge', 'data']);
    expect(services.database.networks).to.deep.equal(['data']);
    expect(services.redis.networks).to.deep.equal(['data']);
  });

  it('gives the service a login that serves, one for migrations, and never the superuser', () => {
    const { DATABASE_URL = '', DATABASE_MIGRATION_URL = '', POSTGRES_PASSWORD } = services.app.environment ?? {};
    expect(loginOf(DATABASE_URL)).to.deep.equal(['advisory_chat', variable('DATABASE_PASSWORD')]);
    expect(loginOf(DATABASE_MIGRATION_URL)).to.deep.equal(['advisory_chat_owner', variable('DATABASE_OWNER_PASSWORD')]);
    // It is in the .env that the service reads, where the last word is that of `environment`.
    expect(POSTGRES_PASSWORD).to.equal('');
    expect(services.database.environment).not.to.have.property('POSTGRES_USER');
    expect(services.database.volumes).to.include(
      './docs/deploy/postgres-roles.sh:/docker-entrypoint-initdb.d/roles.sh:ro',
    );
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
  const lines = readText('Dockerfile').split('\n');
  const image = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  it('ends with an image that runs as a user who owns none of its files, and that runs nothing as root', () => {
    expect(image.filter((line) => line.startsWith('USER '))).to.deep.equal(['USER node']);
    expect(image.slice(image.indexOf('USER node')).some((line) => /^(RUN|COPY|ADD) /.test(line))).to.equal(false);
    expect(image.join('\n')).not.to.match(/--chown|--chmod/);
  });

  it('ends with an image that has no package manager and only what runs', () => {
    expect(image.filter((line) => line.startsWith('COPY '))).to.deep.equal([
      'COPY package.json ./',
      'COPY --from=packages /app/node_modules node_modules',
      'COPY shared shared',
      'COPY server server',
      'COPY --from=client /app/dist dist',
    ]);
    expect(image.join('\n')).not.to.match(/npm (ci|install|run|exec)/);
    for (const tool of ['/usr/local/lib/node_modules', '/usr/local/bin/npm', '/usr/local/bin/npx']) {
      expect(image.join('\n')).to.match(new RegExp(`rm -rf [^]*${tool}( |\\n|$)`));
    }
  });

  it('is built from named folders alone, so that neither secrets nor the history get near it', () => {
    const rules = readText('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const folders = ['package.json', 'package-lock.json', '.npmrc', 'vite.config.ts', 'client', 'server', 'shared'];
    expect(rules).to.deep.equal(['*', ...folders.map((name) => `!${name}`)]);
  });

  it('takes an instance for healthy when it is ready', () => {
    expect(image.join('\n')).to.match(/^HEALTHCHECK [\s\S]*\/readyz/m);
  });

  it('runs no install script of any package', () => {
    for (const line of lines.filter((text) => text.includes('npm ci'))) expect(line).to.include('--ignore-scripts');
  });
});

const variable = (name: string) => `\${${name}}`;

/** User and password of an address, with the names of the variables that stand in it. */
function loginOf(address: string): string[] {
  const [, user = '', password = ''] = /^\w+:\/\/([^:@]*):([^@]*)@/.exec(address) ?? [];
  return [user, password];
}
