import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, post, question, type TestApp } from '../support/test-app.ts';
import { builtPage, createBuiltClient } from './support/built-client.ts';
import { json, send } from './support/send.ts';

const asked = JSON.stringify(question());

describe('Every response', () => {
  const client = ofSuite(() => createBuiltClient());
  const app = ofSuite(() => createTestApp({ pages: client.pages }));
  const avery = ofSuite(() => app.person());
  beforeEach(() => app.provider.reset());

  it('18 In production, plain HTTP is neither served nor redirected', async () => {
    const production = { production: true, publicUrl: 'https://chat.example.com', pages: client.pages };
    const shared = { storage: app.storage };
    await using behindProxy = await createTestApp({ ...production, shared, trustProxy: true });
    await using withoutProxy = await createTestApp({ ...production, shared });
    const plain: [TestApp, string[]][] = [
      [behindProxy, []],
      [behindProxy, ['X-Forwarded-Proto: http']],
      [behindProxy, ['X-Forwarded-Proto: http, https']],
      [behindProxy, ['Forwarded: proto=https', 'X-Forwarded-Ssl: on']],
      // Anybody can write this header where no proxy overwrites it.
      [withoutProxy, ['X-Forwarded-Proto: https']],
    ];
    const requests: [string, string[], string][] = [
      ['GET /', [], ''],
      ['GET /assets/app.js', [], ''],
      ['GET /auth/session', [], ''],
      ['GET /auth/github', [], ''],
      ['GET /nowhere', [], ''],
      ['POST /api/chat', [json, `Cookie: ${avery.cookie}`], asked],
      ['POST /api/chat/demo', [json], asked],
    ];
    for (const [instance, origin] of plain) {
      for (const [requestLine, headers, body] of requests) {
        const answer = await send(instance.url, requestLine, [...headers, ...origin], body);
        expect(answer.status, `${requestLine}, ${origin}`).to.equal(403);
        expect(answer.body).to.equal('This service is reached over HTTPS only.\n');
        for (const absent of ['location', 'set-cookie']) expect(answer.valuesOf(absent)).to.deep.equal([]);
      }
      expect(instance.provider.requests).to.have.length(0);
    }
    const page = await send(behindProxy.url, 'GET /', ['X-Forwarded-Proto: https']);
    expect([page.status, page.body]).to.deep.equal([200, builtPage]);
    expect(page.valuesOf('strict-transport-security')).to.deep.equal(['max-age=31536000']);
  });

  it('19 There is no /v1: 404', async () => {
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/api/chat',
      '/v1/api/chat/demo',
      '/v1/chat',
      '/v1/messages',
      '/api/v1/chat',
    ]) {
      for (const requestLine of [`GET ${path}`, `POST ${path}`]) {
        const answer = await send(app.url, requestLine, [json, `Cookie: ${avery.cookie}`], asked);
        expect(answer.status, requestLine).to.equal(404);
        expect(answer.body).to.equal('There is nothing at this address.\n');
      }
    }
  });

  it('20 Bearer tokens and API keys mean nothing: 401', async () => {
    const value = avery.cookie.slice(avery.cookie.indexOf('=') + 1);
    const credentials = [
      { Authorization: `Bearer ${value}` },
      { Authorization: `Bearer ${decodeURIComponent(value)}` },
      { Authorization: `Basic ${btoa(`avery@example.com:${value}`)}` },
      { 'X-Api-Key': 'test-key' },
      { 'X-Api-Key': value, 'Api-Key': value, 'X-Auth-Token': value, 'X-Session-Id': value },
    ];
    for (const headers of credentials) {
      const response = await post(`${app.url}/api/chat`, question(), headers);
      expect(response.status).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.equal(null);
      expect((await app.live(avery, question(), headers)).status).to.equal(200);
    }
    for (const query of [`access_token=${value}`, `api_key=${value}`, `advisory-chat=${value}`]) {
      expect((await post(`${app.url}/api/chat?${query}`, question())).status).to.equal(401);
    }
    const body = { ...question(), apiKey: 'test-key', access_token: value };
    expect((await post(`${app.url}/api/chat`, body)).status).to.equal(401);
  });

  it('24 Accept: text/event-stream changes nothing', async () => {
    const signedIn = [json, `Cookie: ${avery.cookie}`];
    const first = await app.live(avery, question());
    await first.text();
    const inConversation = JSON.stringify({ ...question(), conversationId: first.headers.get('x-conversation-id') });
    for (const [status, requestLine, headers, body] of [
      [200, 'POST /api/chat', signedIn, inConversation],
      [200, 'POST /api/chat/demo', [json], asked],
      [400, 'POST /api/chat', signedIn, '{'],
      [400, 'POST /api/chat/demo', [json], '{'],
      [401, 'POST /api/chat', [json], asked],
      [405, 'GET /api/chat', [], ''],
      [404, 'GET /api/conversations', [], ''],
    ] as const) {
      const sent = [...headers, 'X-Request-Id: the same'];
      const plain = await send(app.url, requestLine, sent, body);
      const events = await send(app.url, requestLine, [...sent, 'Accept: text/event-stream'], body);
      const withoutDate = (raw: string) => raw.replace(/^Date: .*\r\n/m, '');
      expect(plain.status, requestLine).to.equal(status);
      expect(withoutDate(events.raw)).to.equal(withoutDate(plain.raw));
    }
    const reply = await app.demo(question(), { Accept: 'text/event-stream' });
    expect(reply.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(await reply.text()).to.equal(defaultReply.text);
  });
});

describe('Every response', () => {
  /** One of every status that the routes of the service have. */
  const responses: Response[] = [];

  before(async () => {
    await using app = await createTestApp({ limits: { live: 5, demo: 4 } });
    const keep = async (sent: Promise<Response>) => {
      const response = await sent;
      await response.text();
      responses.push(response);
    };
    const avery = await app.person();
    const newcomer = await app.person({ who: 'blake@example.com', onboarded: false });
    for (const path of ['/auth/session', '/auth/github', '/nowhere', '/api/chat', '/readyz']) {
      await keep(fetch(app.url + path, { redirect: 'manual' }));
    }
    await keep(app.live({ cookie: '' }, question()));
    await keep(app.live(newcomer, question()));
    await keep(app.live(avery, question()));
    await keep(app.demo(question()));
    await keep(app.live(avery, '{'));
    // What the provider says of waiting is not ours to pass on.
    for (const [status, type] of [
      [401, 'authentication_error'],
      [429, 'rate_limit_error'],
      [529, 'overloaded_error'],
    ] as const) {
      const headers = { 'retry-after': '7', 'x-ratelimit-limit': '50', 'anthropic-ratelimit-requests-limit': '50' };
      app.provider.answerWith({ refuse: { status, type, message: 'Scripted failure.', headers } });
      await keep(app.live(avery, question()));
      await keep(app.demo(question()));
    }
    for (const body of [question(), '{']) {
      await keep(app.live(avery, body));
      await keep(app.demo(body));
    }
    app.draining.abort();
    for (const path of ['/readyz', '/']) await keep(fetch(app.url + path));
  });

  it('22 There is never an X-RateLimit header', () => {
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses].sort()).to.deep.equal([200, 302, 400, 401, 403, 404, 405, 429, 500, 502, 503]);
    for (const { headers } of responses) expect([...headers.keys()].join()).not.to.match(/rate-?limit/i);
  });

  it('23 Retry-After is on every 429 and nowhere else', () => {
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).to.have.length(4);
    for (const response of responses) {
      const retryAfter = response.headers.get('retry-after');
      if (response.status === 429) expect(retryAfter).to.match(/^[1-9]\d*$/);
      else expect(retryAfter, `${response.status} of ${response.url}`).to.equal(null);
    }
  });
});
