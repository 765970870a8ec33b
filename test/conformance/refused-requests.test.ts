import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { jsonContentType, send } from '../support/raw-http.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, exampleOnboarding, post, question, type TestApp } from '../support/test-app.ts';
import { builtPage, createFakeBuild } from './support/built-client.ts';

const questionBody = JSON.stringify(question());
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe('Refused requests and absent routes', () => {
  let plannedRoutes: string[];
  /** Header lines of a client without a session, a user before onboarding, and an onboarded user with a conversation. */
  let visitors: string[][];

  const client = perSuite(() => createFakeBuild());
  const app = perSuite(() => createTestApp({ pages: client.pages }));
  const avery = perSuite(() => app.person());
  before(async () => {
    const newcomer = await app.person({ who: 'blake@example.com', onboarded: false });
    const turn = await app.live(avery, question());
    await turn.text();
    const conversation = `/api/conversations/${turn.headers.get('x-conversation-id')}`;
    plannedRoutes = [
      '/api/conversations',
      `${conversation}/messages`,
      `${conversation}/archive`,
      '/api/engagement',
      '/api/onboarding',
    ];
    visitors = [[], [`Cookie: ${newcomer.cookie}`], [`Cookie: ${avery.cookie}`]];
  });
  beforeEach(() => app.provider.reset());

  it('18 In production, plain HTTP is refused with 403, neither served nor redirected', async () => {
    const production = { production: true, publicUrl: 'https://chat.example.com', pages: client.pages };
    const shared = { storage: app.storage };
    await using behindProxy = await createTestApp({ ...production, shared, trustProxy: true });
    await using withoutProxy = await createTestApp({ ...production, shared });
    const plain: [TestApp, string[]][] = [
      [behindProxy, []],
      [behindProxy, ['X-Forwarded-Proto: http']],
      [behindProxy, ['X-Forwarded-Proto: http, https']],
      [behindProxy, ['Forwarded: proto=https', 'X-Forwarded-Ssl: on']],
      // Any client can set this header if no proxy overwrites it, so the service must ignore it.
      [withoutProxy, ['X-Forwarded-Proto: https']],
    ];
    const signedIn = [jsonContentType, `Cookie: ${avery.cookie}`];
    for (const [instance, origin] of plain) {
      for (const requestLine of ['GET /', 'GET /assets/app.js', 'GET /auth/github', 'GET /nowhere', 'POST /api/chat']) {
        const body = requestLine.startsWith('POST') ? questionBody : '';
        const answer = await send(instance.url, requestLine, [...signedIn, ...origin], body);
        expect(answer.status, `${requestLine}, ${origin}`).to.equal(403);
        expect(answer.body).to.equal('HTTPS is required.\n');
        for (const absent of ['location', 'set-cookie']) expect(answer.valuesOf(absent)).to.deep.equal([]);
      }
      expect(instance.provider.requests).to.have.length(0);
    }
    const page = await send(behindProxy.url, 'GET /', ['X-Forwarded-Proto: https']);
    expect([page.status, page.body]).to.deep.equal([200, builtPage]);
    expect(page.valuesOf('strict-transport-security')).to.deep.equal(['max-age=31536000']);
  });

  it('20 Bearer tokens and API keys do not authenticate: 401', async () => {
    const value = avery.cookie.slice(avery.cookie.indexOf('=') + 1);
    for (const headers of [
      { Authorization: `Bearer ${value}` },
      { Authorization: `Bearer ${decodeURIComponent(value)}` },
      { Authorization: `Basic ${btoa(`avery@example.com:${value}`)}` },
      { 'X-Api-Key': 'test-key' },
      { 'X-Api-Key': value, 'Api-Key': value, 'X-Auth-Token': value, 'X-Session-Id': value },
    ]) {
      const response = await post(`${app.url}/api/chat`, question(), headers);
      expect(response.status).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.equal(null);
      expect((await app.live(avery, question(), headers)).status).to.equal(200);
    }
    for (const query of [`access_token=${value}`, `api_key=${value}`, `${app.cookieName}=${value}`]) {
      expect((await post(`${app.url}/api/chat?${query}`, question())).status).to.equal(401);
    }
    const body = { ...question(), apiKey: 'test-key', access_token: value };
    expect((await post(`${app.url}/api/chat`, body)).status).to.equal(401);
  });

  it('24 Accept: text/event-stream does not change the response', async () => {
    const signedIn = [jsonContentType, `Cookie: ${avery.cookie}`];
    const first = await app.live(avery, question());
    await first.text();
    const inConversation = JSON.stringify({ ...question(), conversationId: first.headers.get('x-conversation-id') });
    for (const [status, requestLine, headers, body] of [
      [200, 'POST /api/chat', signedIn, inConversation],
      [200, 'POST /api/chat/demo', [jsonContentType], questionBody],
      [400, 'POST /api/chat', signedIn, '{'],
      [400, 'POST /api/chat/demo', [jsonContentType], '{'],
      [401, 'POST /api/chat', [jsonContentType], questionBody],
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

  /** Paths that are requested with each method (by default GET and POST), without a session and with each kind of session. */
  type Absent = { title: string; paths: () => string[]; methods?: readonly string[]; headers?: readonly string[] };

  const variants: ((path: string) => string)[] = [
    (path) => `${path}/`,
    (path) => path.toUpperCase(),
    (path) => path.replace('/api', '/Api'),
    (path) => path.replace(/api\/(.)/, (_, letter) => `api/%${letter.charCodeAt(0).toString(16)}`),
    (path) => path.replace('/api/', '/%61pi/'),
    (path) => path.replace('/api/', '/api%2F'),
    (path) => path.replace('/api/', '/api//'),
    (path) => `/${path}`,
    (path) => `${path}?limit=1`,
  ];
  const navigation = [
    'Accept: text/html,application/xhtml+xml',
    'Sec-Fetch-Dest: document',
    'Sec-Fetch-Mode: navigate',
  ];
  const absent: Record<number, Absent> = {
    19: {
      title: '/v1 is 404',
      paths: () => ['/v1', '/v1/', '/v1/api/chat', '/v1/api/chat/demo', '/v1/messages', '/api/v1/chat'],
    },
    25: {
      title: 'Each of the five planned routes is 404, with any method and any session',
      paths: () => plannedRoutes,
      methods,
    },
    26: {
      title: 'A planned route is 404 with a trailing slash, in different case, and encoded',
      paths: () => plannedRoutes.flatMap((path) => variants.map((variant) => variant(path))),
    },
    27: {
      title: "A planned route is never 401, and never the SPA's page",
      paths: () => plannedRoutes,
      methods: ['GET'],
      headers: navigation,
    },
    29: {
      title: 'Any other path under /api/ is 404',
      paths: () => ['/api', '/api/', '/api/nowhere', '/api/chat/', '/api/Chat', '/api/chat/demo/', '/api/chat/demo/x'],
      methods,
      headers: ['Accept: text/html'],
    },
  };
  for (const [statement, { title, paths, methods = ['GET', 'POST'], headers = [] }] of Object.entries(absent)) {
    it(`${statement} ${title}`, async () => {
      for (const path of paths()) {
        for (const method of methods) {
          for (const visitor of [
            ...visitors,
            [`Cookie: ${app.cookieName}=garbage`],
            ['Authorization: Bearer garbage'],
          ]) {
            const requestLine = `${method} ${path}`;
            const body = method === 'POST' ? JSON.stringify({ ...exampleOnboarding, ...question() }) : '';
            const answer = await send(app.url, requestLine, [...visitor, jsonContentType, ...headers], body);
            expect(answer.status, requestLine).to.equal(404);
            expect(answer.valuesOf('content-type'), requestLine).to.deep.equal(['text/plain; charset=utf-8']);
            expect(answer.body, requestLine).to.equal(method === 'HEAD' ? '' : 'Not found.\n');
          }
        }
      }
    });
  }

  it('28 GET /api/chat is 405', async () => {
    for (const visitor of visitors) {
      for (const method of methods.filter((each) => each !== 'POST')) {
        const answer = await send(app.url, `${method} /api/chat`, [...visitor, 'Accept: text/html']);
        expect(answer.status, method).to.equal(405);
        expect(answer.valuesOf('allow')).to.deep.equal(['POST']);
        expect(answer.valuesOf('content-type')).to.deep.equal(['text/plain; charset=utf-8']);
        expect(answer.body).to.equal(method === 'HEAD' ? '' : 'Method not allowed. Use POST.\n');
      }
    }
  });

  it("30 /onboarding is the SPA's page", async () => {
    for (const visitor of visitors) {
      const page = await send(app.url, 'GET /onboarding', visitor);
      expect(page.status).to.equal(200);
      expect(page.valuesOf('content-type')).to.deep.equal(['text/html; charset=utf-8']);
      expect(page.body).to.equal(builtPage);
    }
  });
});
