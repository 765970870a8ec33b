import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { checkRedis } from '../../server/doctor/check-redis.ts';
import type { RedisAddress } from '../../server/redis/address.ts';
import { connectRedis, type RedisClient } from '../../server/redis/client.ts';
import { requireUsable } from '../../server/redis/state.ts';
import { eventually } from '../support/eventually.ts';
import type { RedisServer } from '../support/redis-process.ts';
import { startRedis } from '../support/redis-process.ts';
import { createScriptedProvider, type ScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { steadyPort } from '../support/steady-port.ts';
import { createTestApp, post, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { connectPatiently } from '../support/test-redis.ts';

const password = 'p@ss/word';

const slotRanges = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
] as const;

type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>;

/** A Redis Cluster of three masters without replicas in `directory`: without one of them it serves nobody. */
async function startRedisCluster(directory: string) {
  await using opened = new AsyncDisposableStack();
  const nodes: { server: RedisServer; busPort: number }[] = [];
  for (const [index, [first, last]] of slotRanges.entries()) {
    const path = join(directory, `node-${index}`);
    await mkdir(path);
    const busPort = await steadyPort();
    const settings = { enabled: 'yes', 'config-file': 'nodes.conf', 'node-timeout': '1000', port: String(busPort) };
    const parameters = Object.entries(settings).flatMap(([name, value]) => [`--cluster-${name}`, value]);
    const server = await startRedis(path, { parameters, password });
    opened.defer(server.stop);
    await server.command('cluster', 'addslotsrange', String(first), String(last));
    await server.command('cluster', 'set-config-epoch', String(index + 1));
    nodes.push({ server, busPort });
  }
  const servers = nodes.map(({ server }) => server);
  for (const { server, busPort } of nodes.slice(1)) {
    await servers[0]?.command('cluster', 'meet', '127.0.0.1', String(server.port), String(busPort));
  }

  /** Resolves when every node takes every slot for served. */
  async function whole(): Promise<void> {
    await eventually(async () => {
      const states = await Promise.all(servers.map((server) => server.command('cluster', 'info')));
      const isWhole = (state: string) => /cluster_state:ok/.test(state) && /cluster_slots_ok:16384/.test(state);
      return states.every(isWhole) || undefined;
    });
  }

  await whole();
  const parts = opened.move();
  const hosts = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const nodesAddress = { hosts, tls: false, username: undefined, password };
  return {
    servers,
    address: { kind: 'cluster', nodes: nodesAddress } satisfies RedisAddress,
    /** As `REDIS_CLUSTER` has it. */
    list: `redis://:${encodeURIComponent(password)}@${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    /** As `REDIS_URL` has one of the nodes. */
    urlOfOne: `redis://:${encodeURIComponent(password)}@127.0.0.1:${servers[0]?.port}`,
    whole,
    stop: () => parts.disposeAsync(),
  };
}

const silent = pino({ level: 'silent' });
const away = 'Redis is away: this process counts by itself';
const back = 'Redis is back: rate-limit counts are shared again';

describe('Redis Cluster', function () {
  this.timeout(90_000);
  let files: Awaited<ReturnType<typeof temporaryDirectory>>;
  let cluster: RedisCluster;
  let storage: TestDatabase;
  const instances: { redis: RedisClient; app: TestApp }[] = [];

  before(async () => {
    files = await temporaryDirectory();
    cluster = await startRedisCluster(files.path);
    storage = await createTestDatabase();
  });
  afterEach(async () => {
    for (const { redis, app } of instances.splice(0)) {
      await app.close();
      redis.disconnect();
    }
  });
  after(async () => {
    await storage.close();
    await cluster.stop();
    await files.remove();
  });

  async function start(count: number, connect: () => Promise<RedisClient>): Promise<TestApp[]> {
    for (let started = 0; started < count; started += 1) {
      const redis = await connect();
      instances.push({ redis, app: await createTestApp({ shared: { storage }, redis }) });
    }
    return instances.map(({ app }) => app);
  }

  async function statusOf(answer: Promise<Response>): Promise<number> {
    const response = await answer;
    await response.text();
    return response.status;
  }

  /** The node that has the key. */
  async function ownerOf(key: string): Promise<RedisServer> {
    const slot = Number(await cluster.servers[0]?.command('cluster', 'keyslot', key));
    const owner = cluster.servers[slot <= 5460 ? 0 : slot <= 10922 ? 1 : 2];
    if (owner === undefined) throw new Error('There are three nodes.');
    return owner;
  }

  it('admits exactly 60 of 100 requests at once of one person, over four instances', async () => {
    const apps = await start(4, () => connectPatiently(cluster.address));
    const avery = await (apps[0] as TestApp).person();
    const sent = Array.from({ length: 25 }, () => apps.map((app) => statusOf(app.live(avery, question())))).flat();
    const statuses = await Promise.all(sent);
    expect(statuses.filter((status) => status === 200)).to.have.length(60);
    expect(statuses.filter((status) => status === 429)).to.have.length(40);
  });

  it('keeps the counts of many visitors, whichever node has them', async () => {
    const apps = await start(2, () => connectPatiently(cluster.address));
    for (let visitor = 0; visitor < 20; visitor += 1) {
      const address = randomUUID();
      const from = { 'X-Forwarded-For': address };
      const sent = Array.from({ length: 8 }, () => apps.map((app) => statusOf(app.demo(question(), from)))).flat();
      const statuses = await Promise.all(sent);
      expect(statuses.filter((status) => status === 200)).to.have.length(15);
    }
  });

  it('without one of its nodes lets each instance count by itself, and counts all of it once the node is back', async () => {
    const apps = await start(2, () => connectPatiently(cluster.address));
    const address = randomUUID();
    const send = (app: TestApp) => statusOf(app.demo(question(), { 'X-Forwarded-For': address }));
    const owner = await ownerOf(`advisory-chat:limit:demo:${address}`);
    await owner.crash();
    try {
      for (const app of apps) {
        const statuses: number[] = [];
        for (let sent = 0; sent < 16; sent += 1) statuses.push(await send(app));
        expect(statuses).to.deep.equal([...Array(15).fill(200), 429]);
        expect(app.lines.some(({ msg }) => msg === away)).to.equal(true);
      }
    } finally {
      await owner.start();
    }
    await cluster.whole();
    await eventually(() => apps.every((app) => app.lines.some(({ msg }) => msg === back)) || undefined);
    for (const app of apps) expect(await send(app)).to.equal(429);
    expect(await owner.command('zcard', `advisory-chat:limit:demo:${address}`)).to.equal('15');
  });

  it('with one of its nodes frozen lets a request wait no longer than a command may take, and counts it once', async () => {
    const [app] = await start(1, async () => {
      const redis = connectRedis(cluster.address, silent);
      await eventually(() => (redis.status === 'ready' ? true : undefined));
      return redis;
    });
    if (app === undefined) throw new Error('There is one.');
    const address = randomUUID();
    const key = `advisory-chat:limit:demo:${address}`;
    const send = () => statusOf(app.demo(question(), { 'X-Forwarded-For': address }));
    const owner = await ownerOf(key);
    // The connection to this node is open from now on.
    await send();
    app.lines.length = 0;
    owner.freeze();
    try {
      const startedAt = performance.now();
      expect(await send()).to.equal(200);
      expect(performance.now() - startedAt).to.be.below(5000);
    } finally {
      owner.thaw();
    }
    await cluster.whole();
    await eventually(() => app.lines.some(({ msg }) => msg === back) || undefined);
    expect(await owner.command('zcard', key)).to.equal('2');
  });

  describe('for the doctor', () => {
    const textOf = async (address: Parameters<typeof checkRedis>[0]['redis']) => {
      const [finding] = await checkRedis({ redis: address }, silent);
      return `${finding?.outcome}: ${finding?.text}`;
    };

    it('answers and counts', async () => {
      expect(await textOf(cluster.address)).to.match(/^ok: A cluster of 3 masters answers in \d+ ms, and counts\.$/);
      for (const { command } of cluster.servers) expect(await command('keys', 'advisory-chat:doctor*')).to.equal('');
    });

    it('does not count where REDIS_URL names one of its nodes', async () => {
      expect(await textOf({ kind: 'server', url: cluster.urlOfOne })).to.match(
        /^FAILED: It is one node of a Redis Cluster\. Name some of its nodes in REDIS_CLUSTER instead\. /,
      );
    });
  });

  describe('for the status', () => {
    it('is not up without one of its nodes', async () => {
      const redis = await connectPatiently(cluster.address);
      const [, gone] = cluster.servers;
      try {
        await requireUsable(redis);
        await gone?.crash();
        const error = await eventually(() => requireUsable(redis).catch((error: unknown) => error) as Promise<unknown>);
        expect(error).to.be.instanceOf(Error);
      } finally {
        redis.disconnect();
        await gone?.start();
        await cluster.whole();
      }
    });
  });

  describe('of a process', () => {
    let provider: ScriptedProvider;
    let data: Awaited<ReturnType<typeof temporaryDirectory>>;
    let served: ReturnType<typeof serveInProcess>;

    before(async () => {
      provider = await createScriptedProvider();
      data = await temporaryDirectory();
    });
    afterEach(async () => {
      served.kill('SIGKILL');
      await served.exited;
    });
    after(async () => {
      await provider.close();
      await data.remove();
    });

    async function serve(variables: Record<string, string>) {
      served = serveInProcess({
        DATA_DIR: data.path,
        ANTHROPIC_BASE_URL: provider.url,
        METRICS_PORT: '0',
        ...variables,
      });
      const url = await served.url;
      const metricsUrl = await eventually(() => /"metricsUrl":"([^"]+)"/.exec(served.output.join('\n'))?.[1]);
      const status = await fetch(new URL('/status', metricsUrl));
      return { url, status: [status.status, (await status.json()).parts.redis.state] };
    }

    it('that names some of its nodes is up, and counts on it', async () => {
      const { url, status } = await serve({ REDIS_CLUSTER: cluster.list });
      expect(status).to.deep.equal([200, 'up']);
      const address = randomUUID();
      await statusOf(post(`${url}/api/chat/demo`, question(), { 'X-Forwarded-For': address }));
      const key = `advisory-chat:limit:demo:${address}`;
      expect(await (await ownerOf(key)).command('zcard', key)).to.equal('1');
    });

    it('is away where REDIS_URL names one of its nodes, however well that answers', async () => {
      const { url, status } = await serve({ REDIS_URL: cluster.urlOfOne });
      expect(status).to.deep.equal([503, 'down']);
      await eventually(async () => {
        await statusOf(post(`${url}/api/chat/demo`, question(), { 'X-Forwarded-For': randomUUID() }));
        return served.output.some((line) => line.includes(away) && line.includes('"code":"MOVED"')) || undefined;
      });
    });
  });
});
