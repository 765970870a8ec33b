import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createMetrics } from '../../../server/metrics/metrics.ts';
import { openMetricsServer } from '../../../server/metrics/metrics-server.ts';
import { createStatus, type PartState } from '../../../server/metrics/status.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { parseResponse, rawExchange } from '../../support/raw-http.ts';
import { errorEvent } from '../../support/scripted-provider.ts';
import { createTestApp, question } from '../../support/test-app.ts';
import { idleReadings } from './idle-readings.ts';

describe('GET /metrics', () => {
  const metrics = createMetrics({
    ...idleReadings,
    build: 'c0ffee',
    stopping: () => true,
    streams: () => app.streams.inFlight,
    limitsShared: () => ({ live: true, demo: false }),
    lateWrites: () => ({ late: 3, oldestSeconds: 12.5, retried: 7, lost: 1 }),
    databasePool: () => ({ size: 10, inUse: 4, idle: 3, waiting: 2 }),
    parts: async () => ({
      database: { state: 'up', clockAheadSeconds: 2.5, sizeBytes: 3e9 },
      redis: { state: 'down' },
    }),
    providerUp: () => false,
    oldestWaitSeconds: () => 8.5,
    databaseConnectionsRefused: () => 9,
    droppedLogLines: () => 5,
    bodyBytes: () => 4096,
    retentionSucceededSeconds: () => 1_800_000_000,
    demoTokensLeft: async () => 1234,
  });
  const status = createStatus({
    version: '1.2.3',
    build: 'c0ffee',
    instance: 'chat-1/7',
    stopping: new AbortController().signal,
    checks: {},
    readProvider: () => ({ state: 'unknown' }),
  });
  const address = { host: '127.0.0.1', port: 0 };
  const app = perSuite(() => createTestApp({ observe: metrics.observe, limits: { demo: 4 } }));
  const avery = perSuite(() => app.person());
  const server = perSuite(() => openMetricsServer({ metrics, status, address, logger: pino({ level: 'silent' }) }));

  const url = () => `http://127.0.0.1:${server.port}/metrics`;
  const read = async () => (await (await fetch(url())).text()).split('\n').filter((line) => !line.startsWith('#'));
  const named = async (name: string) =>
    (await read())
      .filter((line) => line.startsWith(`advisory_chat_${name}`))
      .map((line) => line.slice('advisory_chat_'.length));
  const counted = async (name: string) => (await named(name)).filter((line) => !line.endsWith(' 0'));

  it('refuses requests with an unknown host name if the host names are configured', async () => {
    const isKnownHost = (host: string | undefined) => host === 'localhost';
    const picky = await openMetricsServer({ metrics, status, address, isKnownHost, logger: pino({ level: 'silent' }) });
    const statusBy = async (host: string) => {
      const head = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      return parseResponse(await rawExchange(`http://127.0.0.1:${picky.port}`, head)).status;
    };
    expect([await statusBy('localhost'), await statusBy('elsewhere.example')]).to.deep.equal([200, 421]);
    await picky.close();
  });

  it('exposes every counter at 0 from the start, for each known value of its labels', async () => {
    const lines = (await createMetrics(idleReadings).read()).split('\n');
    const counters = lines
      .filter((line) => /^# TYPE advisory_chat_\w+ counter$/.test(line))
      .map((line) => line.split(' ')[2]);
    expect(counters).not.to.be.empty;
    for (const name of counters) {
      const values = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
      expect(values, name).not.to.be.empty;
      for (const value of values) expect(value).to.match(/ 0$/);
    }
    const histograms = lines.filter((line) => /^advisory_chat_\w+_count/.test(line));
    for (const line of histograms) expect(line).to.match(/ 0$/);
    for (const route of ['live', 'demo']) {
      expect(lines).to.include.members([
        `advisory_chat_turns_total{route="${route}",ending="failed",code="UPSTREAM_AUTH"} 0`,
        `advisory_chat_turn_duration_seconds_count{route="${route}",ending="complete"} 0`,
        `advisory_chat_first_text_seconds_count{route="${route}"} 0`,
        `advisory_chat_http_request_duration_seconds_count{route="${route}",status="5xx"} 0`,
      ]);
    }
  });

  it('counts each turn once, by route, ending and code', async () => {
    await (await app.demo(question())).text();
    await (await app.live(avery, question())).text();
    app.provider.answerWith({ refuse: { status: 401, type: 'authentication_error', message: 'no' } });
    await (await app.live(avery, question())).text();
    await (await app.demo(question())).text();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, errorEvent('overloaded_error')] });
    await (await app.live(avery, question())).text();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: new Promise(() => undefined) }] });
    await (await app.live(avery, question())).body?.cancel();
    app.provider.reset();
    await (await app.demo('{')).text();
    await (await app.demo('x'.repeat(2_000_000))).text();
    await (await app.demo(question())).text();
    await (await app.live({ cookie: '' }, question())).text();
    await fetch(`${app.url}/api/chat`);
    const expected = [
      'turns_total{route="demo",ending="complete",code="none"} 1',
      'turns_total{route="demo",ending="failed",code="UPSTREAM_AUTH"} 1',
      'turns_total{route="demo",ending="refused",code="INVALID_JSON"} 1',
      'turns_total{route="demo",ending="refused",code="RATE_LIMITED"} 1',
      'turns_total{route="demo",ending="refused",code="none"} 1',
      'turns_total{route="live",ending="aborted",code="none"} 1',
      'turns_total{route="live",ending="complete",code="none"} 1',
      'turns_total{route="live",ending="failed",code="UPSTREAM_AUTH"} 1',
      'turns_total{route="live",ending="failed",code="UPSTREAM_OVERLOADED"} 1',
      'turns_total{route="live",ending="refused",code="UNAUTHENTICATED"} 1',
    ];
    const found = await eventually(async () => {
      const lines = await counted('turns_total');
      return lines.length >= expected.length ? lines : undefined;
    });
    expect(found).to.have.members(expected);
  });

  it('measures the duration and the time to first text of turns that were not refused, and counts tokens', async () => {
    expect(await named('turn_duration_seconds_count')).to.have.members([
      'turn_duration_seconds_count{route="live",ending="complete"} 1',
      'turn_duration_seconds_count{route="live",ending="aborted"} 1',
      'turn_duration_seconds_count{route="live",ending="failed"} 2',
      'turn_duration_seconds_count{route="demo",ending="complete"} 1',
      'turn_duration_seconds_count{route="demo",ending="aborted"} 0',
      'turn_duration_seconds_count{route="demo",ending="failed"} 1',
    ]);
    expect(await named('first_text_seconds_count')).to.have.members([
      'first_text_seconds_count{route="demo"} 1',
      'first_text_seconds_count{route="live"} 3',
    ]);
    const [liveInput, ...others] = await named('tokens_total');
    // For the two replies that are cut, the provider has estimated the input and reported one token of output.
    expect(Number(liveInput?.split(' ').at(-1))).to.be.above(101 + 2 * 1000);
    expect(others).to.deep.equal([
      'tokens_total{route="live",kind="output"} 14',
      'tokens_total{route="live",kind="cache_read"} 30',
      'tokens_total{route="live",kind="cache_write"} 40',
      'tokens_total{route="demo",kind="input"} 101',
      'tokens_total{route="demo",kind="output"} 12',
      'tokens_total{route="demo",kind="cache_read"} 30',
      'tokens_total{route="demo",kind="cache_write"} 40',
    ]);
  });

  it('adds no series for turns and sign-ins after the start', async () => {
    const known = new Set((await createMetrics(idleReadings).read()).split('\n').map((line) => line.split(' ')[0]));
    for (const line of [...(await named('turns_total')), ...(await named('sign_ins_total'))]) {
      expect(known).to.include(`advisory_chat_${line.split(' ')[0]}`);
    }
  });

  it('measures requests by route and status class, for any path', async () => {
    const before = (await counted('http_request_duration_seconds_count')).length;
    for (const path of ['/nowhere', '/auth/elsewhere/callback', '/%zz', '/chat', '/c/one', '/assets/none.js']) {
      await (await fetch(app.url + path)).text();
    }
    const found = await eventually(async () => {
      const lines = await counted('http_request_duration_seconds_count');
      return lines.some((line) => line.includes('route="asset"')) ? lines : undefined;
    });
    const count = (route: string, status: string) =>
      `http_request_duration_seconds_count{route="${route}",status="${status}"}`;
    expect(found.map((line) => line.split(' ')[0])).to.include.members([
      count('session', '2xx'),
      count('sign_in', '3xx'),
      count('sign_in_callback', '3xx'),
      count('onboarding', '2xx'),
      count('page', '4xx'),
    ]);
    expect(found).to.include(`${count('other', '4xx')} 3`);
    expect(found.length).to.equal(before + 3);
  });

  it('counts the callbacks of sign-in providers by outcome', async () => {
    expect(await counted('sign_ins_total')).to.deep.equal(['sign_ins_total{provider="google",outcome="signed-up"} 1']);
    await app.person();
    await (await fetch(`${app.url}/auth/github/callback?error=access_denied`)).text();
    const found = await eventually(async () => {
      const lines = await counted('sign_ins_total');
      return lines.length >= 3 ? lines : undefined;
    });
    expect(found).to.have.members([
      'sign_ins_total{provider="google",outcome="signed-in"} 1',
      'sign_ins_total{provider="google",outcome="signed-up"} 1',
      'sign_ins_total{provider="github",outcome="cancelled"} 1',
    ]);
  });

  const turn = { method: 'POST', path: '/api/chat', status: 200, durationMs: 2500 };

  it('counts exhausted budgets, exhausted capacity, internal failures and refusals of the model', async () => {
    const metrics = createMetrics(idleReadings);
    const refused = { ...turn, status: 429, code: 'RATE_LIMITED' };
    for (const budget of ['user', 'organization', 'demo'] as const) metrics.observe({ ...refused, budget });
    metrics.observe({ ...turn, status: 500, code: 'INTERNAL' });
    metrics.observe({ ...turn, path: '/auth/join', status: 503, capacity: 'bodies-address' });
    for (const stopReason of ['refusal', 'end_turn', 'refusal']) {
      metrics.observe({ ...turn, ending: 'complete', stopReason });
    }
    const lines = (await metrics.read()).split('\n');
    expect(lines).to.include.members([
      'advisory_chat_budget_refusals_total{whose="user"} 1',
      'advisory_chat_budget_refusals_total{whose="organization"} 1',
      'advisory_chat_budget_refusals_total{whose="demo"} 1',
      'advisory_chat_capacity_refusals_total{limit="bodies-address"} 1',
      'advisory_chat_capacity_refusals_total{limit="bodies-user"} 0',
      'advisory_chat_turns_total{route="live",ending="failed",code="INTERNAL"} 1',
      'advisory_chat_turn_duration_seconds_count{route="live",ending="failed"} 1',
      'advisory_chat_model_refusals_total{route="live"} 2',
      'advisory_chat_model_refusals_total{route="demo"} 0',
    ]);
  });

  it('measures durations in seconds', async () => {
    const metrics = createMetrics(idleReadings);
    metrics.observe({ ...turn, ending: 'complete', firstTextMs: 750 });
    expect((await metrics.read()).split('\n')).to.include.members([
      'advisory_chat_turn_duration_seconds_sum{route="live",ending="complete"} 2.5',
      'advisory_chat_first_text_seconds_sum{route="live"} 0.75',
      'advisory_chat_http_request_duration_seconds_sum{route="live",status="2xx"} 2.5',
    ]);
  });

  it('exposes the version, the parts, turns in flight, shared limits, late writes, the database pool, the demo budget and the retention', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }] });
    const reply = await app.live(avery, question());
    expect(await named('')).to.include.members([
      'build_info{version="1.2.3",build="c0ffee"} 1',
      'stopping 1',
      'streams 1',
      'limits_shared{route="live"} 1',
      'limits_shared{route="demo"} 0',
      'late_writes 3',
      'late_write_oldest_seconds 12.5',
      'late_write_retries_total 7',
      'late_writes_lost_total 1',
      'log_lines_dropped_total 5',
      'streams_limit 5000',
      'part_up{part="database"} 1',
      'part_up{part="redis"} 0',
      'part_up{part="provider"} 0',
      'first_text_wait_oldest_seconds 8.5',
      'clock_ahead_seconds{part="database"} 2.5',
      'database_connections_refused_total 9',
      'database_pool_size 10',
      'database_connections{state="in_use"} 4',
      'database_connections{state="idle"} 3',
      'database_waiting 2',
      'demo_budget_left_tokens 1234',
      'retention_success_timestamp_seconds 1800000000',
      'part_size_bytes{part="database"} 3000000000',
      'body_bytes 4096',
    ]);
    // Reading a counter must not increase it.
    expect(await named('')).to.include('late_write_retries_total 7');
    const unused = await createMetrics(idleReadings).read();
    expect(unused, 'without these settings').not.to.include('demo_budget').and.not.include('retention');
    resolve();
    await reply.text();
  });

  it('exposes the clock difference of a part only while that part responds', async () => {
    let database: PartState = { state: 'up', clockAheadSeconds: 7 };
    const { read } = createMetrics({ ...idleReadings, parts: async () => ({ database }) });
    expect(await read()).to.include('advisory_chat_clock_ahead_seconds{part="database"} 7\n');
    database = { state: 'down' };
    expect(await read()).to.not.include('advisory_chat_clock_ahead_seconds{');
  });

  it('exposes the metrics of the process, with the content type of the format', async () => {
    const response = await fetch(url());
    expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    const names = (await read()).map((line) => line.split(/[ {]/)[0]);
    expect(names).to.include.members(['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']);
  });

  it('contains no user data', async () => {
    const text = (await read()).join('\n');
    for (const secret of [avery.user.id, avery.user.organization.id, '127.0.0.1', 'Where do we start', 'Half']) {
      expect(text).not.to.include(secret);
    }
  });

  it('is the only path besides /status at its address, and the public address serves neither of them', async () => {
    for (const path of ['/', '/metrics/', '/status/', '/healthz', '/api/chat', '/constructor']) {
      expect((await fetch(new URL(path, url()))).status, path).to.equal(404);
    }
    expect((await fetch(url(), { method: 'POST' })).status).to.equal(404);
    for (const path of ['/metrics', '/status']) expect((await fetch(app.url + path)).status).to.equal(404);
  });
});
