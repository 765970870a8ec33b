import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import type { RedisAddress } from '../../server/redis/redis-address.ts';
import { connectRedis, requireUsable } from '../../server/redis/redis-client.ts';
import { closing } from '../support/closing.ts';
import { eventually } from '../support/eventually.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { perSuite } from '../support/per-suite.ts';
import { type RedisServer, startRedis } from '../support/redis-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { post, question } from '../support/test-app.ts';
import { connectWithLongTimeouts, redisAt } from '../support/test-redis.ts';
import {
  askDemo,
  createInstances,
  findingOf,
  redisMessages,
  sendInSequence,
  spawnServer,
  unavailableMessage,
  untilReconnected,
} from './redis-instances.ts';

const password = 'p@ss/word';

const slotRanges = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
] as const;

/** Starts a Redis Cluster of three masters without replicas in `directory`. If one is down, the cluster serves no requests. */
async function startRedisCluster(directory: string) {
  await using opened = new AsyncDisposableStack();
  const nodes: { server: RedisServer; busPort: number }[] = [];
  for (const [index, [first, last]] of slotRanges.entries()) {
    const path = join(directory, `node-${index}`);
    await mkdir(path);
    const busPort = await findNonEphemeralPort();
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

  async function untilAllSlotsAreServed(): Promise<void> {
    await eventually(async () => {
      const states = await Promise.all(servers.map((server) => server.command('cluster', 'info')));
      const isComplete = (state: string) => /cluster_state:ok/.test(state) && /cluster_slots_ok:16384/.test(state);
      return states.every(isComplete) || undefined;
    });
  }

  await untilAllSlotsAreServed();
  const parts = opened.move();
  const hosts = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const nodesAddress = { hosts, tls: false, username: undefined, password };
  return {
    servers,
    address: { kind: 'cluster', nodes: nodesAddress } satisfies RedisAddress,
    list: `redis://:${encodeURIComponent(password)}@${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    /** A `REDIS_URL` of one node. */
    urlOfOne: `redis://:${encodeURIComponent(password)}@127.0.0.1:${servers[0]?.port}`,
    untilAllSlotsAreServed,
    stop: () => parts.disposeAsync(),
  };
}

const silent = pino({ level: 'silent' });
const budget = 10_000_000;

describe('Redis Cluster', () => {
  const files = perSuite(() => temporaryDirectory());
  const cluster = perSuite(() => startRedisCluster(files.path));

  async function instances(count: number, connect = () => connectWithLongTimeouts(cluster.address)) {
    return closing(await createInstances(count, connect, { tokensPerDay: { demo: budget } }));
  }

  const keyOf = (address: string) => `advisory-chat:limit:demo:${address}`;

  async function ownerOf(key: string): Promise<RedisServer> {
    const slot = Number(await cluster.servers[0]?.command('cluster', 'keyslot', key));
    const owner = cluster.servers[slotRanges.findIndex(([, last]) => slot <= last)];
    if (owner === undefined) throw new Error(`No node has slot ${slot}.`);
    return owner;
  }

  it("shares the counts of many visitors, and demo chat's budget, between two instances", async () => {
    await using two = await instances(2);
    for (let visitor = 0; visitor < 20; visitor += 1) {
      const address = randomUUID();
      const sent = Array.from({ length: 8 }, () =>
        two.apps.map((app) => sendInSequence(1, () => askDemo(app, address))),
      );
      const all = (await Promise.all(sent.flat())).flat();
      expect(all.filter((status) => status === 200)).to.have.length(15);
    }
    const [first, second] = two.apps.map(({ demoBudget }) => demoBudget);
    if (!first || !second) throw new Error('Demo chat has no budget.');
    expect(await first.remaining()).to.be.within(1, budget - 20 * 15 * 100);
    // The last turns settle their reservations after their responses, which can be between two readings.
    await eventually(async () => {
      const remaining = await first.remaining();
      const reserved = await first.reserve(1_000);
      const whileReserved = await second.remaining();
      if ('settle' in reserved) await reserved.settle(400);
      const change = [whileReserved - remaining, (await second.remaining()) - remaining];
      return change.join() === '-1000,-400' || undefined;
    });
  });

  it('is unusable while one of its nodes is down: instances count locally, and share counts again once it is up', async () => {
    await using two = await instances(2);
    const address = randomUUID();
    const owner = await ownerOf(keyOf(address));
    for (const redis of two.redis) await requireUsable(redis);
    await owner.crash();
    try {
      for (const app of two.apps) {
        expect(await sendInSequence(16, () => askDemo(app, address))).to.deep.equal([...Array(15).fill(200), 429]);
        expect(redisMessages(app)).to.include(unavailableMessage);
      }
      for (const redis of two.redis) {
        expect(await eventually(() => requireUsable(redis).catch((error: unknown) => error))).to.be.instanceOf(Error);
      }
    } finally {
      await owner.start();
    }
    await cluster.untilAllSlotsAreServed();
    await untilReconnected(two.apps);
    for (const app of two.apps) expect(await sendInSequence(1, () => askDemo(app, address))).to.deep.equal([200]);
    expect(await owner.command('zcard', keyOf(address))).to.equal('2');
  });

  it('answers a request within five seconds while one of its nodes is frozen', async () => {
    await using one = await instances(1, async () => {
      const redis = connectRedis(cluster.address, silent);
      await eventually(() => (redis.status === 'ready' ? true : undefined));
      return redis;
    });
    const [app] = one.apps;
    const address = randomUUID();
    const send = () => sendInSequence(1, () => askDemo(app, address));
    const owner = await ownerOf(keyOf(address));
    // The first request opens the connection to this node.
    await send();
    app.lines.length = 0;
    owner.freeze();
    try {
      const startedAt = performance.now();
      expect(await send()).to.deep.equal([200]);
      expect(performance.now() - startedAt).to.be.below(5000);
    } finally {
      owner.thaw();
    }
    await cluster.untilAllSlotsAreServed();
    await untilReconnected([app]);
    expect(await send()).to.deep.equal([200]);
  });

  it('passes doctor with REDIS_CLUSTER, but fails it if REDIS_URL names one of the nodes', async () => {
    expect(await findingOf(cluster.address)).to.match(
      /^ok: A cluster of 3 masters responds in \d+ ms and counts requests\.$/,
    );
    for (const { command } of cluster.servers) expect(await command('keys', 'advisory-chat:doctor*')).to.equal('');
    expect(await findingOf(redisAt(cluster.urlOfOne))).to.match(
      /^FAILED: The server is a node of a Redis Cluster\. Set REDIS_CLUSTER to some of its nodes instead\. /,
    );
  });

  it('is used and reported as up with REDIS_CLUSTER, and reported as down if REDIS_URL is one of its nodes', async () => {
    await using served = await spawnServer({ REDIS_CLUSTER: cluster.list });
    // On a busy machine, a command to Redis can exceed its timeout, and the process then counts locally for a moment.
    await eventually(async () => {
      const address = randomUUID();
      await sendInSequence(1, () => post(`${served.url}/api/chat/demo`, question(), { 'X-Forwarded-For': address }));
      const count = await (await ownerOf(keyOf(address))).command('zcard', keyOf(address));
      return count === '1' || undefined;
    });
    await eventually(async () => (await served.status()).join() === '200,up' || undefined);
    await using other = await spawnServer({ REDIS_URL: cluster.urlOfOne });
    expect(await other.status()).to.deep.equal([503, 'down']);
  });

  it('makes an instance count locally if REDIS_URL is one node and the key is on another', async () => {
    await using one = await instances(1, () => connectWithLongTimeouts(redisAt(cluster.urlOfOne)));
    const [app] = one.apps;
    let address = randomUUID();
    while ((await ownerOf(keyOf(address))) === cluster.servers[0]) address = randomUUID();
    expect(await sendInSequence(16, () => askDemo(app, address))).to.deep.equal([...Array(15).fill(200), 429]);
    const warnings = app.lines.filter(({ msg }) => String(msg).startsWith(unavailableMessage));
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.have.nested.property('err.code', 'MOVED');
  });
});
