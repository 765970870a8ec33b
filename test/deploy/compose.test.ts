import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { defaultSilenceSeconds } from '../../client/chat/attempt.ts';
import { loadConfig } from '../../server/config/config.ts';
import { environmentSchema } from '../../server/config/environment.ts';
import { readText } from '../support/document.ts';
import { nodeOptions, root } from '../support/served-process.ts';
import { compose, stoppingSeconds } from './compose.ts';

const { services } = compose;

const unitBytes: Record<string, number> = { m: 1024 ** 2, g: 1024 ** 3 };

/** Parses sizes of nginx and Docker: 64m, 1g. */
function sizeInBytes(size = ''): number {
  return Number.parseInt(size, 10) * (unitBytes[size.at(-1) ?? ''] ?? Number.NaN);
}

describe('docker-compose.yml', () => {
  it('mounts only existing files of docs/, because Docker creates a directory for a missing one', () => {
    const mounted = [...readText('docker-compose.yml').matchAll(/- \.\/(docs\/[^:]+):/g)].map(([, path = '']) => path);
    expect(mounted).not.to.be.empty;
    for (const path of mounted) expect(existsSync(join(root, path)), path).to.equal(true);
  });

  it('allows the proxy and the service enough open files', () => {
    const [, files] = /^worker_rlimit_nofile (\d+);$/m.exec(readText('docs/deploy/nginx.conf')) ?? [];
    expect(services.proxy.ulimits.nofile).to.equal(Number(files));
    const { maxStreams } = loadConfig({});
    expect(services.app.ulimits.nofile).to.be.above(2 * maxStreams);
  });

  it('gives the proxy a timeout slightly longer than that of the client, so that the proxy ends no turn for which a client is still waiting', () => {
    const [, seconds] = /^ *proxy_read_timeout (\d+)s;$/m.exec(readText('docs/deploy/nginx.conf')) ?? [];
    expect(Number(seconds)).to.be.within(defaultSilenceSeconds + 5, defaultSilenceSeconds + 15);
  });

  it('gives an instance more time to stop than the instance needs', () => {
    const { shutdownDelayMilliseconds, shutdownGraceMilliseconds } = loadConfig({});
    const seconds = (shutdownDelayMilliseconds + shutdownGraceMilliseconds) / 1000 + stoppingSeconds;
    expect(services.app.stop_grace_period).to.match(/^\d+s$/);
    expect(Number.parseInt(services.app.stop_grace_period ?? '', 10)).to.be.above(seconds);
  });

  it('publishes only the ports of the proxy, and keeps the database and Redis away from it and from other machines', () => {
    for (const [name, { networks, ports }] of Object.entries(services)) {
      expect(ports !== undefined, name).to.equal(name === 'proxy');
      if (['database', 'redis'].includes(name)) expect(networks, name).to.deep.equal(['data']);
    }
    expect(services.proxy.networks).not.to.include('data');
    expect(compose.networks.data).to.deep.equal({ internal: true });
  });

  it('starts an instance after the migration, and the proxy after an instance', () => {
    expect(services.app.depends_on).to.deep.equal({
      migrate: { condition: 'service_completed_successfully' },
      database: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    });
    for (const [service, other] of [
      ['migrate', 'database'],
      ['proxy', 'app'],
    ] as const) {
      expect(services[service].depends_on).to.deep.equal({ [other]: { condition: 'service_healthy' } });
    }
  });

  it('gives no container capabilities, a writable file system, an unlimited tmpfs or a core dump, which would contain secrets', () => {
    for (const [name, { read_only, cap_drop, ulimits, tmpfs }] of Object.entries(services)) {
      expect({ read_only, cap_drop }, name).to.deep.equal({ read_only: true, cap_drop: ['ALL'] });
      expect(ulimits.core, name).to.equal(0);
      for (const directory of tmpfs) expect(directory, name).to.match(/[:,]size=\d+m$/);
    }
  });

  it('requires each password, and .env.example lists it', () => {
    const text = readText('docker-compose.yml');
    const used = new Set([...text.matchAll(/\$\{(\w+)(?!\w|:-)/g)].map(([, name = '']) => name));
    const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
    expect([...required]).to.have.members([...used]);
    for (const name of used) expect(readText('.env.example')).to.match(new RegExp(`^${name}=$`, 'm'));
  });

  it('mounts the directory of nginx.conf rather than the file, because the container would keep the old file after a git pull', () => {
    const [, , configuration = ''] = services.proxy.command ?? [];
    const [source, target = ''] = services.proxy.volumes?.[0]?.split(':') ?? [];
    expect([source, configuration]).to.deep.equal(['./docs/deploy', `${target}/nginx.conf`]);
  });

  it('checks the health of the proxy, the database and Redis', () => {
    const running = [services.proxy, services.database, services.redis];
    for (const { healthcheck } of running) expect(healthcheck?.test).not.to.equal(undefined);
  });

  it('gives the proxy enough memory for its cache and every connection', () => {
    const configuration = readText('docs/deploy/nginx.conf');
    const number = (pattern: RegExp) => Number(pattern.exec(configuration)?.[1]);
    const connections = number(/^worker_processes (\d+);$/m) * number(/^ *worker_connections (\d+);$/m);
    // Measured with nginx 1.22, over TLS with unfinished headers.
    const connectionBytes = 46 * 1024;
    const fileBytes = services.proxy.tmpfs.reduce((sum, mount) => sum + sizeInBytes(/size=(\w+)$/.exec(mount)?.[1]), 0);
    expect(fileBytes).to.be.above(sizeInBytes(/max_size=(\w+)/.exec(configuration)?.[1]));
    expect(connections * connectionBytes + fileBytes).to.be.below(sizeInBytes(services.proxy.mem_limit));
  });

  it("gives the owner's login only to services without a published port", () => {
    const owners = Object.entries(services).filter(([, { environment = {} }]) =>
      JSON.stringify(environment).includes('DATABASE_OWNER_PASSWORD}'),
    );
    expect(owners.map(([name]) => name)).to.have.members(['migrate', 'operator']);
    // These entries override the same variables of .env.
    const { environment } = services.app;
    const withheld = { DATABASE_MIGRATION_URL: '', DATABASE_OWNER_PASSWORD: '', POSTGRES_PASSWORD: '' };
    expect(environment).to.include({ MIGRATE: 'false', ...withheld });
  });

  it('sets only known variables, and runs an existing program in each service', () => {
    const known = [...Object.keys(environmentSchema.shape), 'DATABASE_OWNER_PASSWORD', 'POSTGRES_PASSWORD'];
    for (const { environment = {} } of [services.app, services.migrate, services.operator]) {
      expect(known).to.include.members(Object.keys(environment));
    }
    const programs = [services.migrate.command?.at(-1), services.operator.entrypoint?.at(-1)];
    for (const program of programs) expect(existsSync(join(root, program ?? '')), program).to.equal(true);
  });

  it('runs the image of this version', () => {
    const { version } = JSON.parse(readText('package.json'));
    for (const { image } of [services.app, services.migrate, services.operator]) {
      expect(image).to.equal(`advisory-chat:${version}`);
    }
  });
});

describe('the commands of the guides for docker compose', () => {
  const commands = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => [
      ...readText(`docs/${name}`).matchAll(/docker compose (?:exec|run) (?:-[\w-]+ )*(\w+) ?([^`\n]*)/g),
    ]);

  it('name existing services', () => {
    expect(commands).not.to.be.empty;
    for (const [command, service] of commands) expect(Object.keys(services), command).to.include(service);
  });

  it('start programs that exist in the image', () => {
    const programs = commands.flatMap(([, , operands = '']) => /^node (\S+\.ts)/.exec(operands)?.[1] ?? []);
    expect(programs).not.to.be.empty;
    for (const program of programs) expect(existsSync(join(root, program)), program).to.equal(true);
  });
});

describe('the Dockerfile', () => {
  it('starts Node like npm start, and not as root', () => {
    const text = readText('Dockerfile');
    const [, command = '[]'] = /^CMD (.*)$/m.exec(text) ?? [];
    expect(JSON.parse(command)).to.deep.equal(['node', ...nodeOptions, 'server/main.js']);
    expect(text.lastIndexOf('\nUSER node\n')).to.be.above(text.lastIndexOf('\nFROM '));
  });

  it('copies only existing files that .dockerignore does not exclude', () => {
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
