import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { exampleOnboarding } from '../support/example-onboarding.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { createMembers, sessionSecret } from '../support/people.ts';
import { createScriptedProvider } from '../support/scripted-provider.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { createTestDatabase, databaseOn, type TestDatabase } from '../support/test-database.ts';
import { createFakeCommand } from './rolling/fake-command.ts';
import { type Address, createInstances, createRelease, type Instances } from './rolling/instances.ts';
import {
  answerOf,
  createPeople,
  createSite,
  type EndedTurn,
  loadPages,
  type PageLoad,
  replyTo,
} from './rolling/traffic.ts';
import { type InstanceAddresses, type ShippedProxy, startShippedProxy } from './shipped-proxy.ts';

const peopleCount = 10;
const browserCount = 2;
const rollingRestart = join(root, 'docs/deploy/rolling-restart');

describe('two instances behind the shipped proxy, with 10 users', () => {
  let opened: AsyncDisposableStack;
  let directory: string;
  let storage: TestDatabase;
  let instances: Instances;
  let proxy: ShippedProxy;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    const files = await temporaryDirectory();
    opened.defer(files.remove);
    directory = files.path;
    storage = opened.use(await createTestDatabase());
  });
  afterEach(() => opened.disposeAsync());

  async function serve(addresses: readonly Address[], proxied: InstanceAddresses, release: string) {
    const provider = await createScriptedProvider();
    opened.defer(provider.close);
    provider.answerWith(answerOf);
    proxy = await startShippedProxy(proxied);
    opened.defer(proxy.close);
    const site = createSite(proxy);
    opened.defer(site.close);
    const [row] = await storage.rows('select current_database() as name');
    const url = databaseOn(required(testDatabaseUrl), String(row?.name));
    const members = await createMembers(storage.database, peopleCount, () => exampleOnboarding);
    instances = createInstances(
      {
        NODE_ENV: 'production',
        TRUST_PROXY: 'true',
        PUBLIC_URL: site.url,
        MIGRATE: 'false',
        DATABASE_URL: url,
        REDIS_URL: required(testRedisUrl),
        SESSION_SECRET: sessionSecret,
        ANTHROPIC_API_KEY: 'key',
        ANTHROPIC_BASE_URL: provider.url,
        GITHUB_CLIENT_ID: 'a client',
        GITHUB_CLIENT_SECRET: 'a secret',
      },
      addresses,
    );
    opened.defer(instances.close);
    await Promise.all(addresses.map((_, index) => instances.start(index, release)));
    return {
      site,
      people: createPeople(
        site,
        members.map(({ cookie }) => cookie),
      ),
    };
  }

  /**
   * Runs users and browsers during `restart`, and until as many further turns as there are users have ended. Asserts that all
   * turns are complete, and that the browsers have loaded these builds of the pages.
   */
  async function meanwhile(
    { site, people }: Awaited<ReturnType<typeof serve>>,
    builds: readonly string[],
    restart: () => Promise<unknown>,
  ) {
    const finished = new AbortController();
    const asked = people.ask(finished.signal);
    const loaded = loadPages(site, browserCount, finished.signal);
    const more = async (count: number) => {
      const until = people.turns.length + count;
      await eventually(() => (people.turns.length >= until ? true : undefined));
    };
    await more(peopleCount);
    await restart();
    await more(peopleCount);
    finished.abort();
    await asked;
    await expectComplete(people.turns);
    expectPages(await loaded, builds);
    await expectStatuses(site.statuses);
  }

  async function expectComplete(turns: readonly EndedTurn[]) {
    expect(turns.filter(({ number, ending, reply }) => ending !== 'done' || reply !== replyTo(number))).to.deep.equal(
      [],
    );
    const stored = await storage.rows(`select role || ' ' || content as text from chat_messages`);
    const texts = turns.flatMap(({ number }) => [
      `USER [question ${number}] And then?`,
      `ASSISTANT ${replyTo(number)}`,
    ]);
    expect(stored.map(({ text }) => text)).to.have.members(texts);
  }

  /**
   * Clients retry a 503. An instance sends one only once it stops. The proxy sends one only if an instance that stops has
   * disconnected it, and not because it found no instance.
   */
  async function expectStatuses({ 200: _succeeded, 503: _retried, ...others }: Record<number, number>) {
    expect(others).to.deep.equal({});
    for (const output of instances.outputs) {
      const lines: Record<string, unknown>[] = output.map((line) => JSON.parse(line));
      const stop = lines.findIndex(({ signal }) => signal === 'SIGTERM');
      const beforeStop = stop === -1 ? lines : lines.slice(0, stop);
      expect(beforeStop.filter(({ status }) => Number(status) >= 500)).to.deep.equal([]);
    }
    const failed = await proxy.log();
    expect(failed.filter(({ instances: tried }) => !/^[\d.]+:\d+$/.test(String(tried)))).to.deep.equal([]);
  }

  function expectPages(loads: readonly PageLoad[], builds: readonly string[]) {
    expect(loads.filter(({ status, missing }) => status !== 200 || missing.length > 0)).to.deep.equal([]);
    expect([...new Set(loads.map(({ build }) => build))]).to.have.members(builds);
  }

  async function roll(name: string, act: (operands: string) => Promise<string>, ...parameters: string[]) {
    const commands = join(directory, 'commands');
    await mkdir(commands);
    opened.defer(await createFakeCommand(commands, name, act));
    const env = { PATH: `${commands}:${process.env.PATH}`, PATIENCE_SECONDS: '60' };
    await run(rollingRestart, parameters, { env, cwd: directory });
  }

  it('are restarted with systemd without a lost, duplicate or truncated reply, and without a 502', async () => {
    const release = await createRelease(join(directory, 'release'), { build: 'first' });
    const ports = [await findNonEphemeralPort(), await findNonEphemeralPort()] as const;
    const used = await serve(
      ports.map((port) => ({ host: '127.0.0.1', port })),
      { ports },
      release,
    );
    const restarted: string[] = [];
    await meanwhile(used, ['first'], () =>
      roll(
        'systemctl',
        async (operands) => {
          restarted.push(operands);
          const place = ports.indexOf(Number(operands.split('@')[1]));
          await instances.stop(place);
          await instances.start(place, release);
          return '';
        },
        'systemd',
        ...ports.map(String),
      ),
    );
    expect(restarted).to.deep.equal(ports.map((port) => `restart advisory-chat@${port}`));
  });

  it('are upgraded with compose to a release with a migration and new pages, without a lost reply or a missing asset', async () => {
    const release = await createRelease(join(directory, 'release'), { build: 'first' });
    const next = await createRelease(join(directory, 'next'), { build: 'second', isLater: true });
    const port = await findNonEphemeralPort();
    const addresses = ['127.0.0.1', '127.0.0.2'];
    const used = await serve(
      addresses.map((host) => ({ host, port })),
      { addresses, port },
      release,
    );
    await meanwhile(used, ['first', 'second'], () =>
      roll(
        'docker',
        async (operands) => {
          const id = Number(operands.at(-1));
          if (operands.startsWith('compose ps')) return instances.running().join('\n');
          if (operands.startsWith('inspect')) return 'healthy';
          if (operands.startsWith('compose run')) await instances.migrate(next);
          if (operands.startsWith('stop')) await instances.stop(id);
          if (operands.startsWith('compose up')) {
            const missing = addresses.findIndex((_, place) => !instances.running().includes(place));
            await instances.start(missing, next);
          }
          return '';
        },
        'compose',
      ),
    );
    expect(await storage.rows('select count(later)::int as later from chat_messages')).to.deep.equal([{ later: 0 }]);
  });
});
