import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createLogger } from '../../../server/http/process/logger.ts';
import { createTokenBudget, type TokenBudget } from '../../../server/limits/token-budget.ts';
import { connectRedis } from '../../../server/redis/client.ts';
import { eventually } from '../../support/eventually.ts';
import { required, testRedisUrl } from '../../support/services.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { createFakeClock } from './fake-clock.ts';

describe('createTokenBudget, while Redis is away', () => {
  let proxy: Awaited<ReturnType<typeof createTcpProxy>>;
  let redis: Redis;
  let budget: TokenBudget;
  let clock: ReturnType<typeof createFakeClock>;
  let messages: string[];

  beforeEach(async () => {
    proxy = await createTcpProxy(required(testRedisUrl));
    clock = createFakeClock();
    messages = [];
    const logger = createLogger({ level: 'info' }, { write: (line) => void messages.push(JSON.parse(line).msg) });
    redis = connectRedis({ kind: 'server', url: proxy.url }, logger);
    budget = createTokenBudget({
      name: randomUUID(),
      tokens: 100,
      windowSeconds: 60,
      redis,
      clock: clock.read,
      logger,
    });
    await eventually(() => (redis.status === 'ready' ? true : undefined));
  });
  afterEach(async () => {
    redis.disconnect();
    await proxy.close();
  });

  const reserve = async (tokens: number) => {
    const reserved = await budget.reserve(tokens);
    return 'settle' in reserved ? reserved.settle : reserved.retryAfterSeconds;
  };

  it('counts by itself, with the whole budget, and counts all of it together once Redis is back', async () => {
    const settle = await reserve(70);
    expect(await budget.left()).to.equal(30);
    await proxy.cut();
    await eventually(() => (redis.status === 'ready' ? undefined : true));
    expect(await budget.left()).to.equal(100);
    const settleHere = await reserve(100);
    expect(await reserve(1)).to.equal(60);
    if (typeof settle === 'function') await settle(10);

    await proxy.mend();
    await eventually(() => messages.at(-1)?.includes('back') || undefined);
    expect(await budget.left(), 'settled at 10, and reserved 100').to.equal(0);
    if (typeof settleHere === 'function') await settleHere(30);
    expect(await budget.left()).to.equal(60);
    expect(messages).to.deep.equal([
      'Redis is away: this process counts by itself',
      'Redis is back: rate-limit counts are shared again',
    ]);
  });
});
