import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedisAddress } from '../../server/redis/address.ts';
import { eventually } from './eventually.ts';
import { type RedisServer, startRedis } from './redis-process.ts';
import { steadyPort } from './steady-port.ts';

const password = 'p@ss/word';

const slotRanges = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
] as const;

export type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>;

/** A Redis Cluster of three masters without replicas in `directory`: without one of them it serves nobody. */
export async function startRedisCluster(directory: string) {
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
