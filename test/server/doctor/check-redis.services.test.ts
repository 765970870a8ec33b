import { expect } from 'chai';
import { Redis } from 'ioredis';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../server/config/config.ts';
import { checkRedis } from '../../../server/doctor/check-redis.ts';
import { required, testRedisUrl } from '../../support/services.ts';

describe('checkRedis', () => {
  it('counts on a real Redis, and leaves nothing there', async () => {
    const [finding] = await checkRedis(loadConfig({ REDIS_URL: required(testRedisUrl) }), pino({ level: 'silent' }));
    expect(finding?.text).to.match(/^It answers in \d+ ms, and counts\.$/);
    const redis = new Redis(required(testRedisUrl));
    expect(await redis.keys('advisory-chat:doctor*')).to.deep.equal([]);
    redis.disconnect();
  });
});
