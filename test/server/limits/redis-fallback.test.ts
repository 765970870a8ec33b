import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createRedisFallback } from '../../../server/limits/redis-fallback.ts';
import type { RedisClient } from '../../../server/redis/redis-client.ts';

const unavailable = new Error('Connection is closed.');
const wrongType = Object.assign(new Error('WRONGTYPE Operation against a key'), { name: 'ReplyError' });

const textOf = ({ msg, err }: { msg: string; err?: Error }) => (err ? `${msg}: ${err.message}` : msg);

describe('createRedisFallback', () => {
  let clock: Clock;
  let lines: string[];
  let redis: { status: string };
  let fallback: ReturnType<typeof createRedisFallback>;
  let failure: Error | undefined;
  let probes: number;

  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldClearNativeTimers: true });
    lines = [];
    redis = { status: 'ready' };
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(textOf(JSON.parse(line))) });
    fallback = createRedisFallback(redis as RedisClient, logger);
    failure = undefined;
    probes = 0;
  });
  afterEach(() => clock.uninstall());

  async function answer(): Promise<string> {
    if (failure !== undefined) throw failure;
    return 'shared';
  }
  const run = () =>
    fallback.run({
      shared: answer,
      local: async () => 'local',
      probe: () => {
        probes += 1;
        return answer();
      },
    });

  it('counts in this process from the first failure until one of its probes, one per second, succeeds', async () => {
    expect(await run()).to.equal('shared');
    failure = unavailable;
    expect(await Promise.all([run(), run()])).to.deep.equal(['local', 'local']);
    await clock.tickAsync(3_500);
    expect(probes).to.equal(3);
    failure = undefined;
    expect([await run(), fallback.isActive]).to.deep.equal(['local', true]);
    expect(fallback.requireInactive).to.throw().that.equals(unavailable);
    await clock.tickAsync(500);
    expect([await run(), fallback.isActive]).to.deep.equal(['shared', false]);
    expect(fallback.requireInactive).not.to.throw();
    await clock.tickAsync(10_000);
    expect(probes).to.equal(4);
    expect(lines).to.deep.equal([
      `Redis unavailable (connection closed); limits are counted per process: ${unavailable.message}`,
      'Redis available again; limits are shared',
    ]);
  });

  it('ends the fallback if the probe fails only because of a key of the wrong type', async () => {
    failure = unavailable;
    await run();
    failure = wrongType;
    await clock.tickAsync(1_000);
    expect(fallback.isActive).to.equal(false);
  });

  it('sends no further probe once the connection has been closed by a shutdown', async () => {
    failure = unavailable;
    await run();
    redis.status = 'end';
    await clock.tickAsync(10_000);
    expect(probes).to.equal(1);
  });

  it('counts only the requests of a key of the wrong type in this process, with one warning a minute', async () => {
    failure = wrongType;
    for (const milliseconds of [0, 59_999, 1]) {
      await clock.tickAsync(milliseconds);
      expect([await run(), fallback.isActive]).to.deep.equal(['local', false]);
    }
    expect(lines).to.deep.equal(
      Array(2).fill(
        `a Redis key has a value of the wrong type; its requests are counted per process: ${wrongType.message}`,
      ),
    );
    failure = undefined;
    expect(await run()).to.equal('shared');
  });
});
