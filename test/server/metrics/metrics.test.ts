import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createMetrics } from '../../../server/metrics/metrics.ts';
import { openMetricsServer } from '../../../server/metrics/metrics-server.ts';
import { eventually } from '../../support/eventually.ts';
import { errorEvent } from '../../support/scripted-provider.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

const idle = {
  streams: () => 0,
  limitsShared: () => ({}),
  lateWrites: () => ({ late: 0, oldestSeconds: 0, retried: 0, lost: 0 }),
  databaseWaiting: () => 0,
};

describe('GET /metrics', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;
  let server: Awaited<ReturnType<typeof openMetricsServer>>;
  let url: string;

  before(async () => {
    const metrics = createMetrics({
      streams: () => app.streams.underWay,
      limitsShared: () => ({ live: true, demo: false }),
      lateWrites: () => ({ late: 3, oldestSeconds: 12.5, retried: 7, lost: 1 }),
      databaseWaiting: () => app.storage.database.waiting,
      demoTokensLeft: async () => 1234,
    });
    app = await createTestApp({ observe: metrics.observe, limits: { demo: 4 } });
    avery = await app.person();
    server = await openMetricsServer(metrics, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
    url = `http://127.0.0.1:${server.port}/metrics`;
  });
  after(async () => {
    await server.close();
    await app.close();
  });

  const read = async () => (await (await fetch(url)).text()).split('\n').filter((line) => !line.startsWith('#'));
  const own = async () => (await read()).filter((line) => line.startsWith('advisory_chat_'));
  const turns = async () => (await own()).filter((line) => line.startsWith('advisory_chat_turns_total'));

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
      'advisory_chat_turns_total{route="demo",ending="complete",code="none"} 1',
      'advisory_chat_turns_total{route="demo",ending="failed",code="UPSTREAM_AUTH"} 1',
      'advisory_chat_turns_total{route="demo",ending="refused",code="INVALID_JSON"} 1',
      'advisory_chat_turns_total{route="demo",ending="refused",code="RATE_LIMITED"} 1',
      'advisory_chat_turns_total{route="demo",ending="refused",code="none"} 1',
      'advisory_chat_turns_total{route="live",ending="aborted",code="none"} 1',
      'advisory_chat_turns_total{route="live",ending="complete",code="none"} 1',
      'advisory_chat_turns_total{route="live",ending="failed",code="UPSTREAM_AUTH"} 1',
      'advisory_chat_turns_total{route="live",ending="failed",code="UPSTREAM_OVERLOADED"} 1',
      'advisory_chat_turns_total{route="live",ending="refused",code="UNAUTHENTICATED"} 1',
    ];
    const counted = await eventually(async () => {
      const lines = await turns();
      return lines.length >= expected.length ? lines : undefined;
    });
    expect(counted.sort()).to.deep.equal(expected.sort());
  });

  it('counts the tokens that the provider reported, by route and kind', async () => {
    const tokens = (await own()).filter((line) => line.startsWith('advisory_chat_tokens_total'));
    const [liveInput, ...others] = tokens;
    // The provider takes the two cut replies' input from their prompts, and reports one token of output at their beginning.
    expect(Number(liveInput?.split(' ').at(-1))).to.be.above(101 + 2 * 1000);
    expect(others).to.deep.equal([
      'advisory_chat_tokens_total{route="live",kind="output"} 14',
      'advisory_chat_tokens_total{route="live",kind="cache_read"} 30',
      'advisory_chat_tokens_total{route="live",kind="cache_write"} 40',
      'advisory_chat_tokens_total{route="demo",kind="input"} 101',
      'advisory_chat_tokens_total{route="demo",kind="output"} 12',
      'advisory_chat_tokens_total{route="demo",kind="cache_read"} 30',
      'advisory_chat_tokens_total{route="demo",kind="cache_write"} 40',
    ]);
  });

  it('counts refusals by the budget that was used up, from nothing', async () => {
    const refusals = async () => (await own()).filter((line) => line.startsWith('advisory_chat_budget_refusals_total'));
    expect(await refusals()).to.deep.equal([
      'advisory_chat_budget_refusals_total{whose="user"} 0',
      'advisory_chat_budget_refusals_total{whose="organization"} 0',
      'advisory_chat_budget_refusals_total{whose="demo"} 0',
    ]);
    const metrics = createMetrics(idle);
    const poor = await createTestApp({
      shared: { storage: app.storage },
      tokensPerDay: { user: 1, demo: 1 },
      observe: metrics.observe,
    });
    for (const send of [() => poor.live(avery, question()), () => poor.demo(question())]) {
      await (await send()).text();
      expect((await send()).status).to.equal(429);
    }
    const text = await eventually(async () => {
      const lines = (await metrics.read()).split('\n');
      return lines.includes('advisory_chat_budget_refusals_total{whose="demo"} 1') ? lines : undefined;
    });
    expect(text).to.include('advisory_chat_budget_refusals_total{whose="user"} 1');
    await poor.close();
  });

  it("says what is left of demo chat's budget, and nothing where there is none", async () => {
    expect(await own()).to.include('advisory_chat_demo_budget_left_tokens 1234');
    expect(await createMetrics(idle).read()).not.to.include('advisory_chat_demo_budget_left_tokens');
  });

  it('times the first text, of turns that have one', async () => {
    const counts = (await own()).filter((line) => line.startsWith('advisory_chat_first_text_seconds_count'));
    expect(counts).to.have.members([
      'advisory_chat_first_text_seconds_count{route="demo"} 1',
      'advisory_chat_first_text_seconds_count{route="live"} 3',
    ]);
  });

  it('counts a failure of ours as one', async () => {
    const { turns: repository } = app.storage.database;
    const metrics = createMetrics(idle);
    const unlucky = await createTestApp({
      shared: { storage: app.storage },
      database: {
        ...app.storage.database,
        turns: { ...repository, open: () => Promise.reject(new Error('connection refused')) },
      },
      observe: metrics.observe,
    });
    await (await unlucky.live(avery, question())).text();
    const text = await eventually(async () => {
      const lines = await metrics.read();
      return lines.includes('turns_total{') ? lines : undefined;
    });
    expect(text).to.include('advisory_chat_turns_total{route="live",ending="failed",code="INTERNAL"} 1');
    await unlucky.close();
  });

  it('says what is under way, how the limits are counted, what is late and who waits', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }] });
    const reply = await app.live(avery, question());
    expect(await own()).to.include.members([
      'advisory_chat_streams 1',
      'advisory_chat_limits_shared{route="live"} 1',
      'advisory_chat_limits_shared{route="demo"} 0',
      'advisory_chat_late_writes 3',
      'advisory_chat_late_write_oldest_seconds 12.5',
      'advisory_chat_late_write_retries_total 7',
      'advisory_chat_late_writes_lost_total 1',
      'advisory_chat_database_waiting 0',
    ]);
    // A counter that is kept elsewhere must not grow by being read.
    expect(await own()).to.include('advisory_chat_late_write_retries_total 7');
    resolve();
    await reply.text();
  });

  it('has the process beside it, and the content type of the format', async () => {
    const response = await fetch(url);
    expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    const names = (await read()).map((line) => line.split(/[ {]/)[0]);
    expect(names).to.include.members(['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']);
  });

  it('is described in the operations guide, metric by metric', async () => {
    const guide = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const names = new Set((await own()).map((line) => line.split(/[ {]/)[0]?.replace(/_(bucket|sum|count)$/, '')));
    expect(names.size).to.equal(12);
    for (const name of names) expect(guide).to.match(new RegExp(`\\| \`${name}[\`{]`));
  });

  it('holds nothing that comes from a person', async () => {
    const text = (await read()).join('\n');
    for (const secret of [avery.user.id, avery.user.organization.id, '127.0.0.1', 'Where do we start', 'Half']) {
      expect(text).not.to.include(secret);
    }
  });

  it('is all there is at its address, and is not at the address that people reach', async () => {
    for (const path of ['/', '/metrics/', '/healthz', '/api/chat']) {
      expect((await fetch(new URL(path, url))).status, path).to.equal(404);
    }
    expect((await fetch(url, { method: 'POST' })).status).to.equal(404);
    expect((await fetch(`${app.url}/metrics`)).status).to.equal(404);
  });
});
