import { createServer } from 'node:http';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createRepositories } from '../../../server/database/database.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { openTraces } from '../../../server/tracing/traces.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { proxyAuthorization, startForwardProxy } from '../../support/forward-proxy.ts';
import { listen } from '../../support/loopback.ts';
import { findNonEphemeralPort } from '../../support/non-ephemeral-port.ts';
import { perSuite } from '../../support/per-suite.ts';
import { errorEvent } from '../../support/scripted-provider.ts';
import { createTestApp, question } from '../../support/test-app.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { connectTestRedis } from '../../support/test-redis.ts';
import { type CollectedSpan, createCollector } from './collector.ts';

const processLabels = { instance: 'chat-1/7', version: '1.2.3' };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const [, sentTraceId, sentSpanId] = traceparent.split('-');

describe('the trace of a request', () => {
  const logger = pino({ level: 'silent' });

  const collector = perSuite(() => createCollector());
  const storage = perSuite(() => createTestDatabase());
  const redis = perSuite(async () => {
    const connection = await connectTestRedis();
    return { connection, close: () => connection.disconnect() };
  });
  const traces = perSuite(() => openTraces({ endpoint: collector.url, processLabels, logger, delayMilliseconds: 10 }));
  const app = perSuite(async () => {
    const database = await createRepositories(storage.orm, logger, { traceCall: traces.traceCall });
    const limits = { demo: 10_000 };
    return createTestApp({ shared: { storage }, database, redis: redis.connection, traces, limits });
  });
  const avery = perSuite(() => app.person());
  beforeEach(() => app.provider.reset());

  /** Resolves to the spans of the request with this id, once the request's own span, which is the last one, has arrived. */
  async function spansOf(requestId: string) {
    const own = await eventually(() =>
      collector.spans.find(({ attributes }) => attributes['advisory_chat.request_id'] === requestId),
    );
    return { own, others: collector.spans.filter((span) => span.traceId === own.traceId && span !== own) };
  }

  const named = (spans: CollectedSpan[], name: string | RegExp) => spans.filter((span) => span.name.match(name));

  async function turnSpans(requestId: string) {
    const { own, others } = await spansOf(requestId);
    expect(own.name).to.equal('POST /api/chat');
    for (const { name, parentSpanId } of others) expect(parentSpanId, name).to.equal(own.spanId);
    const [provider, ...more] = named(others, 'chat');
    expect(more).to.be.empty;
    expect(named(others, /^eval(sha)?$/), 'Redis').to.have.length(1);
    return { own, others, provider, functions: others.map(({ name }) => name).filter((name) => name.includes('_')) };
  }

  it('includes the spans of the database, Redis and the provider, and the time of the first text', async () => {
    const response = await app.live(avery, question(), { 'X-Request-Id': 'a whole turn' });
    await response.text();
    const { own, provider, functions } = await turnSpans('a whole turn');
    expect(functions).to.have.members(['find_session', 'open_turn', 'close_turn']);
    expect(own.failed).to.equal(false);
    expect(own.attributes).to.include({
      'http.request.method': 'POST',
      'http.route': '/api/chat',
      'http.response.status_code': 200,
      'advisory_chat.ending': 'complete',
    });
    expect(own.attributes['advisory_chat.own_id']).to.match(/^[0-9A-Z]{26}$/);
    expect(provider?.events).to.deep.equal(['first text']);
    expect(provider?.attributes).to.include({
      'gen_ai.usage.input_tokens': 101,
      'gen_ai.usage.output_tokens': 12,
      'advisory_chat.ending': 'complete',
    });
    expect(collector.resource).to.include({
      'service.name': 'advisory-chat',
      'service.version': '1.2.3',
      'service.instance.id': 'chat-1/7',
    });
  });

  it('names the error of the provider, before and after the first text', async () => {
    app.provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'no' } });
    await (await app.live(avery, question(), { 'X-Request-Id': 'refused' })).text();
    const refused = await turnSpans('refused');
    expect(refused.own).to.have.property('failed', true);
    expect(refused.own.attributes).to.include({
      'http.response.status_code': 503,
      'advisory_chat.code': 'UPSTREAM_OVERLOADED',
      'advisory_chat.ending': 'failed',
    });
    expect(refused.provider).to.deep.include({ failed: true, events: [] });
    expect(refused.provider?.attributes).to.include({ 'error.type': 'UPSTREAM_OVERLOADED' });
    expect(refused.functions).to.have.members(['find_session', 'open_turn']);

    app.provider.answerWith({ steps: [{ text: 'Half, ' }, errorEvent('api_error')] });
    await (await app.live(avery, question(), { 'X-Request-Id': 'cut' })).text();
    const cut = await turnSpans('cut');
    expect(cut.own.attributes).to.include({ 'http.response.status_code': 200, 'advisory_chat.ending': 'failed' });
    expect([cut.own.failed, cut.provider?.failed]).to.deep.equal([true, true]);
    expect(cut.provider?.events).to.deep.equal(['first text']);
    expect(cut.functions).to.have.members(['find_session', 'open_turn', 'close_turn']);
  });

  it('marks a turn as aborted when its client disconnects, and includes the write of the partial reply', async () => {
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: new Promise(() => undefined) }] });
    const disconnectedReply = await app.live(avery, question(), { 'X-Request-Id': 'left' });
    const reader = disconnectedReply.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const { own, provider, functions } = await turnSpans('left');
    expect(own.attributes).to.include({ 'advisory_chat.ending': 'aborted' });
    expect(provider?.attributes).to.include({ 'advisory_chat.ending': 'aborted' });
    expect([own.failed, provider?.failed]).to.deep.equal([false, false]);
    expect(functions).to.have.members(['find_session', 'open_turn', 'close_turn']);
  });

  it('names the error of a database function', async () => {
    await storage.rows(
      "alter table chat_messages add constraint no_secrets check (content not like '%canary%') not valid",
    );
    const asked = question('a canary sings');
    expect((await app.live(avery, asked, { 'X-Request-Id': 'refused row' })).status).to.equal(500);
    const { own, others } = await spansOf('refused row');
    expect(own.attributes).to.include({ 'http.response.status_code': 500, 'advisory_chat.code': 'INTERNAL' });
    const [opening] = named(others, 'open_turn');
    expect(opening?.failed).to.equal(true);
    expect(opening?.attributes).to.include({ 'db.system.name': 'postgresql', 'error.type': '23514' });
    await storage.rows('alter table chat_messages drop constraint no_secrets');
  });

  it('continues the trace of the proxy, and does not send it to the provider', async () => {
    const headers = { traceparent, 'X-Request-Id': 'continued' };
    await (await app.live(avery, question(), headers)).text();
    const { own } = await spansOf('continued');
    expect([own.traceId, own.parentSpanId]).to.deep.equal([sentTraceId, sentSpanId]);
    const [sent] = app.provider.requests;
    expect(Object.keys(sent?.headers ?? {})).not.to.include.oneOf(['traceparent', 'tracestate', 'baggage', 'b3']);
    expect(JSON.stringify(sent)).not.to.include(sentTraceId);
  });

  it('is recorded even if the proxy does not sample it, and is a new trace if traceparent is malformed', async () => {
    for (const [requestId, header] of [
      ['not sampled', traceparent.replace(/01$/, '00')],
      ['malformed', 'a trace'],
    ] as const) {
      await (await app.demo(question(), { traceparent: header, 'X-Request-Id': requestId })).text();
      const { own } = await spansOf(requestId);
      expect(own.name).to.equal('POST /api/chat/demo');
      expect(own.traceId === sentTraceId).to.equal(requestId === 'not sampled');
    }
  });

  it("contains the route's pattern instead of the path, and no pattern or path for an unknown path", async () => {
    for (const [path, name, route] of [
      ['/what-somebody-typed', 'GET', undefined],
      ['/c/one', 'GET /c/:id', '/c/:id'],
      ['/auth/google/callback', 'GET /auth/google/callback', '/auth/google/callback'],
    ] as const) {
      await (await fetch(app.url + path, { headers: { 'X-Request-Id': path }, redirect: 'manual' })).text();
      const { own } = await spansOf(path);
      expect([own.name, own.attributes['http.route']]).to.deep.equal([name, route]);
    }
  });

  it('contains no texts, names or ids of users', async () => {
    const canary = 'canary4f7e9d';
    app.provider.answerWith({ steps: [{ text: canary }], model: `${canary} said` });
    await (await app.live(avery, question(canary), { 'X-Request-Id': 'quiet' })).text();
    const { others } = await spansOf('quiet');
    expect(others).not.to.be.empty;
    const sent = collector.bodies.join('\n');
    const [session = ''] = avery.browser.cookies().map((cookie) => cookie.split('=')[1] ?? '');
    const secrets = [canary, session, 'avery@example.com', 'Example Castings', 'test-key'];
    for (const secret of [...secrets, avery.user.id, avery.user.organization.id, 'Where do we start']) {
      expect(sent, secret).not.to.include(secret);
    }
  });

  for (const [scheme, method, target] of [
    ['http', 'POST', 'http://collector.example.com/base/v1/traces'],
    ['https', 'CONNECT', 'collector.example.com:443'],
  ] as const) {
    it(`is sent to an ${scheme}:// address through the proxy`, async () => {
      await using proxy = closing(await startForwardProxy(collector.url));
      const endpoint = `${scheme}://collector.example.com/base`;
      const proxied = openTraces({ endpoint, proxy: proxy.url, processLabels, logger, delayMilliseconds: 1 });
      await using app = await createTestApp({ shared: { storage }, traces: proxied });
      expect((await app.demo(question())).status).to.equal(200);
      await eventually(() => proxy.requests[0]);
      await proxied.close();
      expect(proxy.requests[0]).to.deep.equal({ method, target, authorization: proxyAuthorization });
    });
  }

  describe('with a failing collector', () => {
    async function start(endpoint: string) {
      const lines: Record<string, unknown>[] = [];
      const logger = createLogger({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
      const lost = openTraces({ endpoint, processLabels, logger, delayMilliseconds: 1 });
      const app = await createTestApp({ shared: { storage }, traces: lost });
      const messages = () => lines.map(({ level, msg }) => `${level} ${msg}`);
      return Object.assign(app, { messages, closeTraces: lost.close });
    }

    it('handles requests as usual, and logs once that the collector is unreachable', async () => {
      await using away = await start(`http://127.0.0.1:${await findNonEphemeralPort()}`);
      expect((await away.demo(question())).status).to.equal(200);
      await eventually(() => away.messages()[0]);
      // The process also drops these spans, before `close` resolves.
      expect((await away.demo(question())).status).to.equal(200);
      await away.closeTraces();
      expect(away.messages()).to.deep.equal(['40 traces not delivered (ECONNREFUSED); spans are dropped']);
    });

    it('logs the status of a refusal once, and once that the collector accepts traces again', async () => {
      let status = 401;
      const server = createServer((_, response) => response.writeHead(status).end('{}'));
      await using recovering = closing(await listen(server));
      await using recovered = await start(`http://127.0.0.1:${recovering.port}`);
      expect((await recovered.demo(question())).status).to.equal(200);
      await eventually(() => recovered.messages()[0]);
      status = 200;
      expect((await recovered.demo(question())).status).to.equal(200);
      await eventually(() => recovered.messages()[1]);
      expect((await recovered.demo(question())).status).to.equal(200);
      await recovered.closeTraces();
      expect(recovered.messages()).to.deep.equal([
        '40 traces not delivered (status 401); spans are dropped',
        '30 trace delivery restored',
      ]);
    });
  });
});
