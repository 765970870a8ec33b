import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createMetrics } from '../../../server/metrics/metrics.ts';
import { openMetricsServer } from '../../../server/metrics/metrics-server.ts';
import { createStatus, type Status } from '../../../server/metrics/status.ts';
import { idleReadings } from './idle-readings.ts';

const answerMilliseconds = 50;

describe('GET /status', () => {
  let now: number;
  let asked: number;
  let answer: () => Promise<number>;
  let stopping: AbortController;
  let status: Status;
  let server: Awaited<ReturnType<typeof openMetricsServer>>;

  beforeEach(async () => {
    now = 0;
    asked = 0;
    answer = async () => 0;
    stopping = new AbortController();
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
        redis: { ping: async () => -2.5, reasonOf: () => undefined },
      },
      answerMilliseconds,
      clock: () => now,
    });
    server = await openMetricsServer({
      metrics: createMetrics(idleReadings),
      status,
      address: { host: '127.0.0.1', port: 0 },
      logger: pino({ level: 'silent' }),
    });
  });
  afterEach(() => server.close());

  const url = (path: string) => `http://127.0.0.1:${server.port}${path}`;

  async function read() {
    const response = await fetch(url('/status'));
    return { status: response.status, body: await response.json() };
  }

  it('says how each part is, what runs and where, and 200 where no part is away', async () => {
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

  it('is 503 where a part is away, and says which and why', async () => {
    answer = () => Promise.reject(new Error('connection refused'));
    const { status, body } = await read();
    expect([status, body.status]).to.deep.equal([503, 'down']);
    expect(body.parts).to.deep.include({ database: { state: 'down', reason: 'connection refused' } });
    expect(body.parts.redis.state).to.equal('up');
  });

  it('says that the process is on its way out', async () => {
    stopping.abort();
    expect((await read()).body.draining).to.equal(true);
  });

  it('takes a part that does not answer in time for away, and asks it nothing else until it does', async () => {
    const gate = Promise.withResolvers<number>();
    answer = () => gate.promise;
    const { status, body } = await read();
    expect([status, body.parts.database.reason]).to.deep.equal([503, 'no answer within 0.05 s']);
    expect((await read()).status).to.equal(503);
    expect(asked).to.equal(1);
    gate.resolve(0);
    await gate.promise;
    expect((await read()).status).to.equal(200);
  });

  describe('of the model provider, which is not asked', () => {
    const whole = { ending: 'complete' };
    const failed = { ending: 'failed', code: 'UPSTREAM_ERROR' };
    const state = async () => {
      const { status, body } = await read();
      return [status, body.parts.provider.state];
    };

    it('knows nothing before a turn has asked it, and nothing from one that has not', async () => {
      status.observe({ code: 'RATE_LIMITED' });
      status.observe({ ending: 'aborted' });
      expect(await state()).to.deep.equal([200, 'unknown']);
    });

    it('takes it for up after a reply, whole or left by its reader, and after one that it refused to give', async () => {
      for (const line of [
        whole,
        { ending: 'aborted', firstTextMs: 7 },
        { ending: 'failed', code: 'UPSTREAM_BAD_REQUEST' },
      ]) {
        status.observe(line);
        expect(await state()).to.deep.equal([200, 'up']);
      }
    });

    it('takes it for away after three failures in a row, and says the last, until it answers', async () => {
      status.observe(failed);
      status.observe(failed);
      expect(await state()).to.deep.equal([200, 'unknown']);
      status.observe({ ...failed, code: 'UPSTREAM_AUTH' });
      expect(await state()).to.deep.equal([503, 'down']);
      expect((await read()).body.parts.provider).to.include({ failuresInARow: 3, lastFailure: 'UPSTREAM_AUTH' });
      status.observe(whole);
      expect(await state()).to.deep.equal([200, 'up']);
    });

    it('forgets what it has seen after five minutes', async () => {
      for (const line of [failed, failed, failed]) status.observe(line);
      now = 300_000;
      expect(await state()).to.deep.equal([503, 'down']);
      now = 301_000;
      expect(await state()).to.deep.equal([200, 'unknown']);
    });
  });
});
