import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createLogger } from '../../../server/http/process/logger.ts';
import { createLimiter, type Limiter } from '../../../server/limits/limiter.ts';
import { connectRedis } from '../../../server/redis/client.ts';
import { eventually } from '../../support/eventually.ts';
import { required, testRedisUrl } from '../../support/services.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { admitted, attempt, attempts } from './attempts.ts';
import { createFakeClock } from './fake-clock.ts';

const away = 'Redis is away: this process counts by itself';
const back = 'Redis is back: rate-limit counts are shared again';

describe('createLimiter, while Redis is away', () => {
  let proxy: Awaited<ReturnType<typeof createTcpProxy>>;
  let redis: Redis;
  let limiter: Limiter;
  let clock: ReturnType<typeof createFakeClock>;
  let lines: { msg: string; limiter: string }[];

  beforeEach(async () => {
    proxy = await createTcpProxy(required(testRedisUrl));
    clock = createFakeClock();
    lines = [];
    const logger = createLogger({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
    redis = connectRedis({ kind: 'server', url: proxy.url }, logger);
    limiter = createLimiter({ name: randomUUID(), requests: 3, windowSeconds: 60, redis, clock: clock.read, logger });
  });
  afterEach(async () => {
    redis.disconnect();
    await proxy.close();
  });

  const connected = () => eventually(() => (redis.status === 'ready' ? true : undefined));
  const messages = () => lines.map(({ msg }) => msg);

  /** Redis is found again whether or not anybody comes. */
  const sharedAgain = () => eventually(() => messages().includes(back) || undefined);

  it('waits for a frozen Redis within the time limit of a command, and only once', async () => {
    await connected();
    await attempt(limiter, 'a');
    proxy.freeze();
    const startedAt = performance.now();
    const clients = ['a', 'b', 'c', 'd'];
    const outcomes = await Promise.all(clients.map((client) => attempt(limiter, client)));
    expect(outcomes).to.deep.equal(admitted(4));
    expect(performance.now() - startedAt).to.be.below(5000);
    expect(messages()).to.deep.equal([away]);

    clock.advance(5000);
    const others = Array.from({ length: 100 }, (_, client) => `client ${client}`);
    let answered = 0;
    const soon = new Promise((resolve) => setImmediate(resolve));
    for (const client of others) void attempt(limiter, client).then(() => (answered += 1));
    await soon;
    expect(answered, 'without waiting for anything outside this process').to.equal(100);
    expect(await attempts(limiter, 'a', 3)).to.deep.equal(['admitted', 'admitted', 55]);
    proxy.thaw();
    await sharedAgain();
    expect(messages()).to.deep.equal([away, back]);
    // Redis gets the first requests now, which were given up and counted here.
    expect(await attempts(limiter, 'b', 3)).to.deep.equal(['admitted', 'admitted', 55]);
  });

  it('counts by itself while Redis takes no writes, however well it answers a ping', async () => {
    await connected();
    await redis.config('SET', 'min-replicas-to-write', '1');
    try {
      expect(await attempts(limiter, 'a', 4)).to.deep.equal([...admitted(3), 60]);
      clock.advance(5000);
      await attempt(limiter, 'b');
      expect(await redis.ping()).to.equal('PONG');
      expect(messages()).to.deep.equal([away]);
    } finally {
      await redis.config('SET', 'min-replicas-to-write', '0');
    }
    await sharedAgain();
  });
});
