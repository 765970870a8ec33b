import { expect } from 'chai';
import { Redis } from 'ioredis';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../server/config/config.ts';
import { checkRedis } from '../../../server/doctor/checks.ts';
import { closing } from '../../support/closing.ts';
import { testRedis } from '../../support/test-redis.ts';

describe('checkRedis', () => {
  it('counts on a real Redis, and leaves nothing there', async () => {
    const url = await testRedis();
    const [finding] = await checkRedis(loadConfig({ REDIS_URL: url }), pino({ level: 'silent' }));
    expect(finding?.text).to.match(/^It answers in \d+ ms, and counts\.$/);
    const redis = new Redis(url);
    await using _connection = closing({ close: () => redis.disconnect() });
    expect(await redis.keys('advisory-chat:doctor*')).to.deep.equal([]);
  });

  it('says that a Redis is no cluster', async () => {
    const { host } = new URL(await testRedis());
    const [finding] = await checkRedis(loadConfig({ REDIS_CLUSTER: host }), pino({ level: 'silent' }));
    expect(finding?.outcome).to.equal('FAILED');
    expect(finding?.text).to.match(/^ERR This instance has cluster support disabled\. Check REDIS_CLUSTER, /);
  });
});
