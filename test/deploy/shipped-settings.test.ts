import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../server/config/config.ts';
import { environmentSchema, secretNames } from '../../server/config/environment.ts';
import { readText } from '../support/document.ts';
import { ofSuite } from '../support/of-suite.ts';
import { root, startOptions, temporaryDirectory } from '../support/served-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: the programs that read these files check their form.
type Parsed = any;

const compose: Parsed = parse(readText('docker-compose.yml'), { merge: true }).services;
const manifests: Parsed[] = ['advisory-chat', 'migration', 'operator'].flatMap((name) =>
  parseAllDocuments(readText(`docs/deploy/kubernetes/${name}.yaml`), { merge: true }).map((one) => one.toJS()),
);
const pods: Parsed[] = manifests.flatMap(({ spec }) => spec?.template?.spec ?? []);
const containers: Parsed[] = pods.flatMap((pod) => pod.containers);
const configMap: Record<string, string> = manifests.find(({ kind }) => kind === 'ConfigMap').data;
const unit = readText('docs/deploy/advisory-chat@.service').replaceAll('%i', '3001');
const ofUnit = (key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value).join(' ');
const ofNginx = (pattern: RegExp) => Number(pattern.exec(readText('docs/deploy/nginx.conf'))?.[1]);

const unitSettings: Record<string, string> = Object.fromEntries(
  ofUnit('Environment')
    .split(' ')
    .map((pair) => pair.split('=')),
);
const release = [compose.app, compose.migrate, compose.operator];

/** How long stopping takes at most after the grace period: steps 5 and 6 of the operations guide. */
const stoppingSeconds = 20;
const shipped = loadConfig({});

/** Files that only their own programs read: what is checked here is what the service and its documents have to agree on. */
describe('The shipped deployments', () => {
  const directory = ofSuite(() => temporaryDirectory());

  it('set only variables that the service knows', () => {
    const others = ['DATABASE_OWNER_PASSWORD', 'POSTGRES_PASSWORD'];
    const known = [...Object.keys(environmentSchema.shape), ...secretNames.map((name) => `${name}_FILE`), ...others];
    for (const settings of [
      configMap,
      unitSettings,
      ...release.map(({ environment }) => environment),
      ...containers.map(({ env = [] }) => Object.fromEntries(env.map(({ name }: Parsed) => [name, '']))),
    ]) {
      expect(known).to.include.members(Object.keys(settings));
    }
  });

  it('set everything that production needs on Kubernetes, with the secrets in files', async () => {
    const secrets: Record<string, string> = {
      DATABASE_URL: 'postgresql://serving@database/advisory_chat',
      REDIS_URL: 'redis://redis:6379',
    };
    const environment: Record<string, string> = { NODE_ENV: 'production' };
    for (const [name, value] of Object.entries(configMap)) {
      const isFile = name.endsWith('_FILE');
      environment[name] = isFile ? join(directory.path, value) : value;
      if (!isFile) continue;
      await mkdir(dirname(environment[name]), { recursive: true });
      await writeFile(environment[name], secrets[name.replace('_FILE', '')] ?? 'x'.repeat(32));
    }
    expect(loadConfig(environment)).to.deep.include({ migrateAtStart: false, trustProxy: true });
  });

  it('start Node on systemd as npm start does, behind a proxy on this machine', () => {
    expect(ofUnit('ExecStart')).to.equal(`/usr/bin/node ${startOptions.join(' ')} server/main.js`);
    const { NODE_ENV, ...others } = unitSettings;
    expect(NODE_ENV).to.equal('production');
    expect(loadConfig(others)).to.deep.include({
      host: '127.0.0.1',
      port: 3001,
      trustProxy: true,
      metrics: { host: '127.0.0.1', port: 13_001 },
    });
  });

  it('run the image of this version', () => {
    const { version } = JSON.parse(readText('package.json'));
    for (const { image } of [...release, ...containers])
      expect(image).to.match(new RegExp(`\\badvisory-chat:${version}$`));
  });

  it("keep the owner's login from the service that people reach", () => {
    for (const settings of [configMap, unitSettings])
      expect(JSON.stringify(settings)).not.to.match(/MIGRATION_URL|OWNER/);
    // .env has these variables too, and an entry here replaces its value.
    const withheld = { DATABASE_MIGRATION_URL: '', DATABASE_OWNER_PASSWORD: '', POSTGRES_PASSWORD: '' };
    expect(compose.app.environment).to.include({ MIGRATE: 'false', ...withheld });
  });

  const stopping: [where: string, stopSeconds: number, settings: Record<string, string>][] = [
    ['Docker Compose', Number.parseInt(compose.app.stop_grace_period, 10), {}],
    ['systemd', Number(ofUnit('TimeoutStopSec')), {}],
    ['Kubernetes', pods[0].terminationGracePeriodSeconds, configMap],
  ];
  for (const [where, stopSeconds, settings] of stopping) {
    it(`give a stopping instance more time on ${where} than it needs`, () => {
      const delay = Number(settings.SHUTDOWN_DELAY_MS ?? shipped.shutdownDelayMilliseconds);
      const grace = Number(settings.SHUTDOWN_GRACE_MS ?? shipped.shutdownGraceMilliseconds);
      expect(stopSeconds).to.be.above((delay + grace) / 1000 + stoppingSeconds);
    });
  }

  it('allow more open files than the proxy and the service need', () => {
    for (const files of [compose.app.ulimits.nofile, Number(ofUnit('LimitNOFILE'))]) {
      expect(files).to.be.above(2 * shipped.maxStreams);
    }
    expect(compose.proxy.ulimits.nofile).to.equal(ofNginx(/^worker_rlimit_nofile (\d+);$/m));
  });

  it('let the proxy wait for slightly longer than an instance waits for the database and the provider', () => {
    const databaseSeconds = 10;
    const longest = databaseSeconds + shipped.modelIdleTimeoutMilliseconds / 1000;
    expect(ofNginx(/^ *proxy_read_timeout (\d+)s;$/m)).to.be.within(longest + 10, longest + 30);
  });

  it('require every password, and list it in .env.example', () => {
    const text = readText('docker-compose.yml');
    const used = new Set([...text.matchAll(/\$\{(\w+)(?!\w|:-)/g)].map(([, name = '']) => name));
    const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
    expect([...required]).to.have.members([...used]);
    for (const name of used) expect(readText('.env.example')).to.match(new RegExp(`^${name}=$`, 'm'));
  });

  it('mount, copy and start files that exist, and send requests to the ports of the instances', () => {
    const mounted = [...readText('docker-compose.yml').matchAll(/- \.\/(docs\/[^:]+):/g)].map(([, path]) => path);
    const copied = [...readText('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    const started = [compose.migrate.command, compose.operator.entrypoint, ...containers.map(({ command }) => command)]
      .flat()
      .filter((word) => /\.ts$/.test(word));
    for (const files of [mounted, copied, started]) {
      expect(files).not.to.be.empty;
      for (const file of files) expect(existsSync(join(root, file)), file).to.equal(true);
    }
    for (const file of copied) expect(readText('.dockerignore').split('\n')).to.include(`!${file}`);
    const ports = /@(\d+) advisory-chat@(\d+)$/m.exec(unit)?.slice(1);
    const upstream = [...readText('docs/deploy/nginx-upstream.conf').matchAll(/^ +server (.*);$/gm)];
    // `max_fails=0`: nginx never takes an instance for dead.
    expect(upstream.map(([, server]) => server)).to.deep.equal(ports?.map((port) => `127.0.0.1:${port} max_fails=0`));
  });
});
