import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { after, afterEach, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { connectRedis } from '../../server/redis/client.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedis } from '../support/redis-process.ts';
import { createScriptedProvider, type ScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { createTestApp, post, question, type TestApp } from '../support/test-app.ts';

const away = 'Redis is away: this process counts by itself';
const back = 'Redis is back: rate-limit counts are shared again';

describe('Redis', function () {
  this.timeout(120_000);
  let files: Awaited<ReturnType<typeof temporaryDirectory>>;
  let server: RedisServer;
  /** A connection that waits as long as it takes. */
  let operator: Redis;

  before(async () => {
    files = await temporaryDirectory();
    server = await startRedis(files.path);
    operator = new Redis(server.url);
    operator.on('error', () => undefined);
  });
  // A server that stands still ends only when it goes on.
  afterEach(() => server.thaw());
  after(async () => {
    operator.disconnect();
    await server.stop();
    await files.remove();
  });

  /** Resolves when a request that `send` makes, from an address of its own, is counted on Redis. */
  async function sharedAgain(send: (address: string) => Promise<Response>): Promise<void> {
    await eventually(async () => {
      const address = randomUUID();
      await (await send(address)).text();
      return (await operator.zcard(`advisory-chat:limit:demo:${address}`)) > 0 || undefined;
    });
  }

  describe('while it is', () => {
    let redis: Redis;
    let app: TestApp;

    before(async () => {
      redis = connectRedis({ kind: 'server', url: server.url }, pino({ level: 'silent' }));
      await eventually(() => (redis.status === 'ready' ? true : undefined));
      app = await createTestApp({ redis, limits: { live: 2, demo: 2 } });
    });
    after(async () => {
      await app.close();
      redis.disconnect();
    });

    const from = (address: string) => app.demo(question(), { 'X-Forwarded-For': address });
    const logged = (message: string) => app.lines.some(({ msg }) => msg === message);

    /** The statuses of three requests, one after the other. */
    async function three(send: () => Promise<Response>): Promise<number[]> {
      const statuses: number[] = [];
      for (const answer of [send, send, send]) {
        const response = await answer();
        await response.text();
        statuses.push(response.status);
      }
      return statuses;
    }

    for (const [fault, who, begin, end] of [
      ['stopped', 'avery-example', () => server.stop(), () => server.start()],
      ['frozen', 'casey-example', async () => server.freeze(), async () => server.thaw()],
    ] as const) {
      it(`${fault}, both routes answer and stay limited, and the counts are shared again afterwards`, async () => {
        const person = await app.person({ provider: 'github', who });
        await sharedAgain(from);
        app.lines.length = 0;
        await begin();
        expect(await three(() => from(`while ${fault}`))).to.deep.equal([200, 200, 429]);
        expect(await three(() => app.live(person, question()))).to.deep.equal([200, 200, 429]);
        expect(logged(away)).to.equal(true);
        expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
        await end();
        await sharedAgain(from);
        expect(logged(back)).to.equal(true);
      });
    }

    it('restarted, and has forgotten its counts and the script, requests are counted on it again', async () => {
      await sharedAgain(from);
      await server.stop();
      await server.start();
      await sharedAgain(from);
      expect(logged(back)).to.equal(true);
    });
  });

  describe('a process that starts while it is away', () => {
    let provider: ScriptedProvider;
    let data: Awaited<ReturnType<typeof temporaryDirectory>>;
    let served: ReturnType<typeof serveInProcess>;

    before(async () => {
      provider = await createScriptedProvider();
      data = await temporaryDirectory();
      await server.stop();
    });
    afterEach(async () => {
      served.kill('SIGKILL');
      await served.exited;
    });
    after(async () => {
      await provider.close();
      await data.remove();
    });

    it('serves, counts by itself, and shares its counts once Redis is there', async () => {
      served = serveInProcess({
        DATA_DIR: data.path,
        ANTHROPIC_BASE_URL: provider.url,
        REDIS_URL: server.url,
        METRICS_PORT: '0',
      });
      const url = await served.url;
      const metricsUrl = await eventually(() => /"metricsUrl":"([^"]+)"/.exec(served.output.join('\n'))?.[1]);
      const status = async () => {
        const response = await fetch(new URL('/status', metricsUrl));
        return [response.status, (await response.json()).parts.redis.state];
      };
      expect(await status()).to.deep.equal([503, 'down']);
      expect((await fetch(`${url}/readyz`)).status).to.equal(200);
      const from = (address: string) => post(`${url}/api/chat/demo`, question(), { 'X-Forwarded-For': address });
      const statuses: number[] = [];
      for (let count = 0; count < 16; count += 1) statuses.push((await from('203.0.113.1')).status);
      expect(statuses).to.deep.equal([...Array(15).fill(200), 429]);
      expect(served.output.join('\n')).to.include(away);
      await server.start();
      await sharedAgain(from);
      expect(served.output.join('\n')).to.include(back);
      await eventually(async () => ((await status())[0] === 200 ? true : undefined));
      expect(await status()).to.deep.equal([200, 'up']);
    });
  });
});
