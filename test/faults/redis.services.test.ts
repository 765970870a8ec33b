import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { connectRedis } from '../../server/redis/redis-client.ts';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { startRedis } from '../support/redis-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { post, question, type TestApp } from '../support/test-app.ts';
import { redisAt } from '../support/test-redis.ts';
import {
  askDemo,
  availableMessage,
  createInstances,
  redisMessages,
  sendInSequence,
  spawnServer,
  unavailableMessage,
  untilReconnected,
} from './redis-instances.ts';

const budget = 100_000;

describe('Redis', () => {
  /** A connection without a command timeout. */
  let operator: Redis;

  after(() => {
    operator.disconnect();
  });
  const files = perSuite(() => temporaryDirectory());
  const server = perSuite(() => startRedis(files.path));
  before(() => {
    operator = new Redis(server.url);
    operator.on('error', () => undefined);
  });
  // A frozen server does not handle the signal to stop.
  afterEach(() => server.thaw());

  /** Resolves when the requests of `send` are counted in Redis. Each is from a new address. */
  async function untilShared(send: (address: string) => Promise<Response>): Promise<void> {
    await eventually(async () => {
      const address = randomUUID();
      await sendInSequence(1, () => send(address));
      return (await operator.zcard(`advisory-chat:limit:demo:${address}`)) > 0 || undefined;
    });
  }

  describe('with two instances', () => {
    // A busy machine can exceed the production timeout of 250 ms, after which the instances count locally.
    const commandMilliseconds = 2_000;
    let instances: Awaited<ReturnType<typeof createInstances>>;
    let first: TestApp;
    let second: TestApp;

    before(async () => {
      const connect = async () => {
        const redis = connectRedis(redisAt(server.url), pino({ level: 'silent' }));
        redis.options.commandTimeout = commandMilliseconds;
        await eventually(() => (redis.status === 'ready' ? true : undefined));
        return redis;
      };
      instances = await createInstances(2, connect, { limits: { live: 2, demo: 2 }, tokensPerDay: { demo: budget } });
      [first, second] = instances.apps;
    });
    beforeEach(() => {
      for (const { lines } of instances.apps) lines.length = 0;
    });
    after(() => instances.close());

    const anybody = () => askDemo(first, randomUUID());

    const rejections = async (code: string) =>
      Number(new RegExp(`errorstat_${code}:count=(\\d+)`).exec(await operator.info('errorstats'))?.[1] ?? 0);

    for (const [fault, who, begin, end] of [
      ['stopped', 'avery-example', () => server.stop(), () => server.start()],
      ['frozen', 'casey-example', async () => server.freeze(), async () => server.thaw()],
    ] as const) {
      it(`makes both instances count locally on both routes while it is ${fault}, and shares counts again afterwards`, async () => {
        const person = await first.person({ provider: 'github', who });
        const [visitor, later] = [randomUUID(), randomUUID()];
        await begin();
        for (const app of [first, second]) {
          expect(await sendInSequence(3, () => askDemo(app, visitor))).to.deep.equal([200, 200, 429]);
          expect(await sendInSequence(3, () => app.live(person, question()))).to.deep.equal([200, 200, 429]);
          expect(redisMessages(app)).to.deep.equal([unavailableMessage]);
          expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
        }
        await end();
        await untilReconnected(instances.apps);
        expect(await sendInSequence(1, () => askDemo(first, later))).to.deep.equal([200]);
        expect(await sendInSequence(2, () => askDemo(second, later))).to.deep.equal([200, 429]);
        expect(redisMessages(first)).to.deep.equal([unavailableMessage, availableMessage]);
      });
    }

    it('delays only requests in flight, by at most the command timeout, while it is frozen', async () => {
      server.freeze();
      const startedAt = performance.now();
      const concurrent = await Promise.all(Array.from({ length: 4 }, () => sendInSequence(1, anybody)));
      const subsequent = await sendInSequence(20, anybody);
      expect(performance.now() - startedAt).to.be.below(20 * commandMilliseconds);
      expect([...concurrent.flat(), ...subsequent]).to.deep.equal(Array(24).fill(200));
      server.thaw();
      await untilReconnected([first]);
      expect(redisMessages(first)).to.deep.equal([unavailableMessage, availableMessage]);
    });

    for (const [fault, setting, wrong, right, code] of [
      ['rejects writes', 'min-replicas-to-write', '1', '0', 'NOREPLICAS'],
      ['is out of memory', 'maxmemory', '1', '0', 'OOM'],
    ] as const) {
      it(`is treated as unavailable while it ${fault}, even though it answers a ping`, async () => {
        await operator.config('SET', setting, wrong);
        try {
          expect(await sendInSequence(3, anybody)).to.deep.equal([200, 200, 200]);
          const line = first.lines.find(({ msg }) => String(msg).startsWith(unavailableMessage));
          expect(line?.msg).to.equal(`${unavailableMessage}${code}); limits are counted per process`);
          expect(line?.err).to.include({ code });
          const before = await rejections(code);
          // Waits until the next two probes have been rejected.
          await eventually(async () => (await rejections(code)) >= before + 2 || undefined);
          expect(redisMessages(first)).to.deep.equal([unavailableMessage]);
        } finally {
          await operator.config('SET', setting, right);
        }
        await untilReconnected([first]);
      });
    }

    it("lets each instance count demo chat's budget locally while Redis is stopped, and shares the budget again afterwards", async () => {
      const remainingTokens = (app: TestApp) => app.demoBudget?.remaining();
      const bothRemaining = () => Promise.all([remainingTokens(first), remainingTokens(second)]);
      await operator.flushall();
      await sendInSequence(1, anybody);
      const used =
        budget -
        (await eventually(async () => {
          const tokens = (await remainingTokens(second)) ?? 0;
          return tokens > budget - 1_000 && tokens < budget ? tokens : undefined;
        }));
      const running = await first.demoBudget?.reserve(3_000);
      await server.stop();
      const local = await bothRemaining();
      await sendInSequence(1, anybody);
      expect(await bothRemaining()).to.deep.equal([(local[0] ?? 0) - used, local[1]]);
      if (running && 'settle' in running) await running.settle(0);
      await server.start();
      await untilReconnected(instances.apps);
      expect(await bothRemaining()).to.deep.equal([budget, budget]);
      await sendInSequence(1, anybody);
      await eventually(async () => ((await remainingTokens(second)) === budget - used ? true : undefined));
    });

    it('enforces limits again after Redis restarts without its counts and scripts', async () => {
      const visitor = randomUUID();
      await sendInSequence(2, () => askDemo(first, visitor));
      await server.stop();
      await server.start();
      await untilShared((address) => askDemo(first, address));
      expect(await sendInSequence(3, () => askDemo(first, visitor))).to.deep.equal([200, 200, 429]);
    });
  });

  it('counts as down while its user may not run scripts, even though it answers a ping', async () => {
    const url = new URL(server.url);
    Object.assign(url, { username: 'limited', password: 'a-password' });
    await operator.call('ACL', 'SETUSER', 'limited', 'on', '>a-password', '~*', '+@all', '-@scripting');
    await using instance = await spawnServer({ REDIS_URL: url.href });
    await eventually(async () => (await instance.status())[1] === 'up' || undefined);
    await sendInSequence(1, () => post(`${instance.url}/api/chat/demo`, question()));
    expect(await instance.status()).to.deep.equal([503, 'down']);
  });

  it('does not prevent startup while it is down: the process counts locally, and shares counts once Redis is up', async () => {
    await server.stop();
    await using served = await spawnServer({ REDIS_URL: server.url });
    expect(await served.status()).to.deep.equal([503, 'down']);
    expect((await fetch(`${served.url}/readyz`)).status).to.equal(200);
    const from = (address: string) => post(`${served.url}/api/chat/demo`, question(), { 'X-Forwarded-For': address });
    expect(await sendInSequence(16, () => from('203.0.113.1'))).to.deep.equal([...Array(15).fill(200), 429]);
    expect(served.output.join('\n')).to.include(unavailableMessage);
    await server.start();
    await untilShared(from);
    expect(served.output.join('\n')).to.include(availableMessage);
    const recovered = await eventually(async () => {
      const status = await served.status();
      return status[0] === 200 ? status : undefined;
    });
    expect(recovered).to.deep.equal([200, 'up']);
  });
});
