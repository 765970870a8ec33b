import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { connectRedis } from '../../server/redis/client.ts';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { startRedis } from '../support/redis-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { post, question, type TestApp } from '../support/test-app.ts';
import { away, back, createInstances, demo, found, messages, serveWith, statuses } from './redis-instances.ts';

const budget = 100_000;

describe('Redis', function () {
  this.timeout(120_000);
  /** A connection that waits as long as it takes. */
  let operator: Redis;

  after(() => {
    operator.disconnect();
  });
  const files = ofSuite(() => temporaryDirectory());
  const server = ofSuite(() => startRedis(files.path));
  before(() => {
    operator = new Redis(server.url);
    operator.on('error', () => undefined);
  });
  // A server that stands still ends only when it goes on.
  afterEach(() => server.thaw());

  /** Resolves when a request that `send` makes, from an address of its own, is counted on Redis. */
  async function sharedAgain(send: (address: string) => Promise<Response>): Promise<void> {
    await eventually(async () => {
      const address = randomUUID();
      await statuses(1, () => send(address));
      return (await operator.zcard(`advisory-chat:limit:demo:${address}`)) > 0 || undefined;
    });
  }

  describe('for two instances,', () => {
    let instances: Awaited<ReturnType<typeof createInstances>>;
    let here: TestApp;
    let there: TestApp;

    before(async () => {
      // With the product's own patience.
      const connect = async () => {
        const redis = connectRedis({ kind: 'server', url: server.url }, pino({ level: 'silent' }));
        await eventually(() => (redis.status === 'ready' ? true : undefined));
        return redis;
      };
      instances = await createInstances(2, connect, { limits: { live: 2, demo: 2 }, tokensPerDay: { demo: budget } });
      [here, there] = instances.apps;
    });
    beforeEach(() => {
      for (const { lines } of instances.apps) lines.length = 0;
    });
    after(() => instances.close());

    const anybody = () => demo(here, randomUUID());

    /** How often Redis has refused a command for this reason. */
    const failures = async (code: string) =>
      Number(new RegExp(`errorstat_${code}:count=(\\d+)`).exec(await operator.info('errorstats'))?.[1] ?? 0);

    for (const [fault, who, begin, end] of [
      ['stopped', 'avery-example', () => server.stop(), () => server.start()],
      ['frozen', 'casey-example', async () => server.freeze(), async () => server.thaw()],
    ] as const) {
      it(`${fault}, both routes answer and each instance counts by itself; found again, they count together`, async () => {
        const person = await here.person({ provider: 'github', who });
        const [visitor, later] = [randomUUID(), randomUUID()];
        await begin();
        for (const app of [here, there]) {
          expect(await statuses(3, () => demo(app, visitor))).to.deep.equal([200, 200, 429]);
          expect(await statuses(3, () => app.live(person, question()))).to.deep.equal([200, 200, 429]);
          expect(messages(app)).to.deep.equal([away]);
          expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
        }
        await end();
        await found(instances.apps);
        expect(await statuses(1, () => demo(here, later))).to.deep.equal([200]);
        expect(await statuses(2, () => demo(there, later))).to.deep.equal([200, 429]);
        expect(messages(here)).to.deep.equal([away, back]);
      });
    }

    it('frozen, lets only those requests wait that find it so, and no longer than a command may take', async () => {
      const commandMilliseconds = 250;
      server.freeze();
      const startedAt = performance.now();
      const atOnce = await Promise.all(Array.from({ length: 4 }, () => statuses(1, anybody)));
      const others = await statuses(20, anybody);
      expect(performance.now() - startedAt).to.be.below(20 * commandMilliseconds);
      expect([...atOnce.flat(), ...others]).to.deep.equal(Array(24).fill(200));
      server.thaw();
      await found([here]);
      expect(messages(here)).to.deep.equal([away, back]);
    });

    for (const [fault, setting, wrong, right, code] of [
      ['takes no writes', 'min-replicas-to-write', '1', '0', 'NOREPLICAS'],
      ['has no memory', 'maxmemory', '1', '0', 'OOM'],
    ] as const) {
      it(`is away while it ${fault}, however well it answers a ping`, async () => {
        await operator.config('SET', setting, wrong);
        try {
          expect(await statuses(3, anybody)).to.deep.equal([200, 200, 200]);
          const line = here.lines.find(({ msg }) => String(msg).startsWith(away));
          expect(line?.msg).to.equal(`${away}${code}); limits are counted per process`);
          expect(line?.err).to.include({ code });
          const refused = await failures(code);
          // The looks of the next seconds fail too.
          await eventually(async () => (await failures(code)) >= refused + 2 || undefined);
          expect(messages(here)).to.deep.equal([away]);
        } finally {
          await operator.config('SET', setting, right);
        }
        await found([here]);
      });
    }

    it("is away for demo chat's budget too: each instance has the whole of it, and afterwards they share it", async () => {
      const left = (app: TestApp) => app.demoBudget?.remaining();
      const bothLeft = () => Promise.all([left(here), left(there)]);
      await operator.flushall();
      await statuses(1, anybody);
      const used =
        budget -
        (await eventually(async () => {
          const tokens = (await left(there)) ?? 0;
          return tokens > budget - 1_000 && tokens < budget ? tokens : undefined;
        }));
      const running = await here.demoBudget?.reserve(3_000);
      await server.stop();
      const alone = await bothLeft();
      await statuses(1, anybody);
      expect(await bothLeft()).to.deep.equal([(alone[0] ?? 0) - used, alone[1]]);
      if (running && 'settle' in running) await running.settle(0);
      await server.start();
      await found(instances.apps);
      expect(await bothLeft()).to.deep.equal([budget, budget]);
      await statuses(1, anybody);
      await eventually(async () => ((await left(there)) === budget - used ? true : undefined));
    });

    it('restarted, and has forgotten its counts and the script, counts again', async () => {
      const visitor = randomUUID();
      await statuses(2, () => demo(here, visitor));
      await server.stop();
      await server.start();
      await sharedAgain((address) => demo(here, address));
      expect(await statuses(3, () => demo(here, visitor))).to.deep.equal([200, 200, 429]);
    });
  });

  it('is away for a process that starts meanwhile: it serves, counts by itself, and shares its counts once Redis is there', async () => {
    await server.stop();
    await using served = await serveWith({ REDIS_URL: server.url });
    expect(await served.status()).to.deep.equal([503, 'down']);
    expect((await fetch(`${served.url}/readyz`)).status).to.equal(200);
    const from = (address: string) => post(`${served.url}/api/chat/demo`, question(), { 'X-Forwarded-For': address });
    expect(await statuses(16, () => from('203.0.113.1'))).to.deep.equal([...Array(15).fill(200), 429]);
    expect(served.output.join('\n')).to.include(away);
    await server.start();
    await sharedAgain(from);
    expect(served.output.join('\n')).to.include(back);
    await eventually(async () => ((await served.status())[0] === 200 ? true : undefined));
    expect(await served.status()).to.deep.equal([200, 'up']);
  });
});
