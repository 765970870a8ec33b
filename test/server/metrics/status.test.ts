import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createMetrics } from '../../../server/metrics/metrics.ts';
import { openMetricsServer } from '../../../server/metrics/metrics-server.ts';
import { createStatus, type Status } from '../../../server/metrics/status.ts';
import { idleReadings } from './idle-readings.ts';

describe('GET /status', () => {
  let clock: Clock;
  let asked: number;
  let answer: () => Promise<{ clockAheadSeconds: number }>;
  let stopping: AbortController;
  let status: Status;
  let provider: { state: 'down'; silentSeconds: number } | { state: 'unknown' };
  let server: Awaited<ReturnType<typeof openMetricsServer>>;

  beforeEach(async () => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldClearNativeTimers: true });
    asked = 0;
    answer = async () => ({ clockAheadSeconds: 0 });
    stopping = new AbortController();
    provider = { state: 'unknown' };
    status = createStatus({
      version: '1.2.3',
      build: 'c0ffee',
      instance: 'chat-1/7',
      stopping: stopping.signal,
      checks: {
        database: {
          ping() {
            asked += 1;
            return answer();
          },
          reasonOf: (error) => (error instanceof Error ? error.message : undefined),
        },
        redis: { ping: async () => ({ clockAheadSeconds: -2.5 }), reasonOf: () => undefined },
      },
      readProvider: () => provider,
    });
    server = await openMetricsServer({
      metrics: createMetrics(idleReadings),
      status,
      address: { host: '127.0.0.1', port: 0 },
      logger: pino({ level: 'silent' }),
    });
  });
  afterEach(async () => {
    clock.uninstall();
    await server.close();
  });

  async function read() {
    const response = await fetch(`http://127.0.0.1:${server.port}/status`);
    return { status: response.status, body: await response.json() };
  }

  it('returns 200 with the state of each part, the version and the instance if no part is down', async () => {
    const { status, body } = await read();
    expect(status).to.equal(200);
    const { startedAt, ...rest } = body;
    expect(new Date(startedAt).toISOString()).to.equal(startedAt);
    expect(rest).to.deep.equal({
      status: 'up',
      version: '1.2.3',
      build: 'c0ffee',
      instance: 'chat-1/7',
      draining: false,
      parts: {
        database: { state: 'up', clockAheadSeconds: 0 },
        redis: { state: 'up', clockAheadSeconds: -2.5 },
        provider: { state: 'unknown' },
      },
    });
  });

  it('returns 503 with the reason if a part is down', async () => {
    answer = () => Promise.reject(new Error('connection refused'));
    const { status, body } = await read();
    expect([status, body.status]).to.deep.equal([503, 'down']);
    expect(body.parts).to.deep.include({ database: { state: 'down', reason: 'connection refused' } });
    expect(body.parts.redis.state).to.equal('up');
  });

  it('reports that the process is shutting down', async () => {
    stopping.abort();
    expect((await read()).body.draining).to.equal(true);
  });

  it('reports a part as down if it does not respond in time, and starts no second probe until the part responds', async () => {
    const gate = Promise.withResolvers<{ clockAheadSeconds: number }>();
    answer = () => gate.promise;
    const reading = status.read();
    clock.tick(2_000);
    const { up, body } = await reading;
    expect(up).to.equal(false);
    expect(body.parts).to.deep.include({ database: { state: 'down', reason: 'no response within 2 s' } });
    expect((await status.read()).up).to.equal(false);
    expect(asked).to.equal(1);
    gate.resolve({ clockAheadSeconds: 0 });
    await clock.tickAsync(0);
    expect((await status.read()).up).to.equal(true);
  });

  it('returns 503 with the state of the model provider if the provider is down', async () => {
    provider = { state: 'down', silentSeconds: 21 };
    const { status, body } = await read();
    expect([status, body.status]).to.deep.equal([503, 'down']);
    expect(body.parts.provider).to.deep.equal({ state: 'down', silentSeconds: 21 });
  });
});
