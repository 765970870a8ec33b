import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createRedisFallback } from '../../../server/limits/redis-fallback.ts';
import { connectRedis, isKeyError, redisFailure, requireReady } from '../../../server/redis/redis-client.ts';
import { eventually } from '../../support/eventually.ts';
import { findNonEphemeralPort } from '../../support/non-ephemeral-port.ts';
import { redisAt, sharedRedisUrl } from '../../support/test-redis.ts';

const replyError = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

describe('an unavailable Redis', () => {
  for (const [title, address, code] of [
    ['refuses connections', async () => `redis://127.0.0.1:${await findNonEphemeralPort()}`, 'ECONNREFUSED'],
    [
      'does not accept the credentials',
      async () => (await sharedRedisUrl()).replace('redis://', 'redis://nobody:wrong@'),
      'WRONGPASS',
    ],
  ] as const) {
    it(`is logged as ${code} if it ${title}`, async () => {
      const lines: string[] = [];
      const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
      const redis = connectRedis(redisAt(await address()), logger);
      try {
        const cause = await eventually(() => {
          try {
            return requireReady(redis) as undefined;
          } catch (error) {
            return error instanceof Error ? redisFailure(error.cause) : undefined;
          }
        });
        expect(cause).to.equal(code);
        const shared = async () => requireReady(redis);
        await createRedisFallback(redis, logger).run({ shared, local: async () => undefined, probe: shared });
        expect(lines).to.deep.equal([`Redis unavailable (${code}); limits are counted per process`]);
      } finally {
        redis.disconnect();
      }
    });
  }

  for (const code of ['LOADING', 'READONLY', 'OOM', 'CLUSTERDOWN', 'MASTERDOWN', 'NOAUTH', 'BUSY', 'NOPERM']) {
    it(`is reported for all keys after ${code}, not only for one`, () => {
      const error = replyError(`${code} followed by a message`);
      expect(isKeyError(error)).to.equal(false);
      expect(redisFailure(error)).to.equal(code);
    });
  }

  for (const message of [
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'ERR Error running script (call to f_1): @user_script:8: WRONGTYPE Operation against a key holding the wrong kind',
    'ERR hash value is not an integer',
  ]) {
    it(`is not assumed after an error of one key: "${message.slice(0, 40)}…"`, () =>
      expect(isKeyError(replyError(message))).to.equal(true));
  }
});
