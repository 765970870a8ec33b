import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { demoEngagement } from '../../server/prompt/demo-engagement.ts';
import { readDataSection } from '../../server/prompt/layers.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { brokenClock } from './support/broken-clock.ts';

const yearMilliseconds = 365 * 24 * 3_600_000;

const upstreamError = { status: 502, text: 'UPSTREAM_ERROR: The model could not finish the reply.' };

describe('Demo chat', () => {
  let clock: ReturnType<typeof install> | undefined;
  const sessionQueries: string[] = [];

  const storage = perSuite(() => createTestDatabase());
  const app = perSuite(() => {
    const sessionStore = new Proxy(storage.database.sessionStore, {
      get(target, name, spy) {
        if (name === 'retrying') return () => spy;
        const member = Reflect.get(target, name);
        if (!['get', 'set', 'destroy'].includes(String(name))) return member;
        return (...parameters: unknown[]) => {
          sessionQueries.push(String(name));
          return Reflect.apply(member, target, parameters);
        };
      },
    });
    return createTestApp({
      shared: { storage },
      database: { ...storage.database, sessionStore },
      limits: { demo: 1000 },
    });
  });
  const avery = perSuite(() => app.person());
  beforeEach(() => app.provider.reset());
  afterEach(() => clock?.uninstall());

  /** A valid cookie, cookies of an expired session, tampered and garbage cookies, and a malformed header. */
  const cookies = () => [
    avery.cookie,
    `${app.cookieName}=s%3Agone.c2lnbmF0dXJl`,
    `${avery.cookie}x`,
    `${app.cookieName}=garbage`,
    `=;;=%zz;${app.cookieName}`,
  ];

  async function turn(headers: Record<string, string> = {}, body: unknown = question()) {
    const response = await app.demo(body, headers);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async function providerBodyFor(headers: Record<string, string> = {}, body: unknown = question()) {
    const count = app.provider.requests.length + 1;
    await turn(headers, body);
    return (await app.provider.request(count)).body;
  }

  it('93 A request without a cookie is answered with 200', async () => {
    const { status, text } = await turn();
    expect({ status, text }).to.deep.equal({ status: 200, text: defaultReply.text });
  });

  it('94 A request with a garbage cookie is answered with 200, without Set-Cookie', async () => {
    for (const Cookie of cookies()) {
      const { status, headers, text } = await turn({ Cookie });
      expect({ status, text }, Cookie).to.deep.equal({ status: 200, text: defaultReply.text });
      expect(headers.get('set-cookie'), Cookie).to.equal(null);
    }
  });

  it('95 The session store is never queried, whichever cookie is sent', async () => {
    sessionQueries.length = 0;
    for (const Cookie of cookies()) await turn({ Cookie });
    expect(sessionQueries).to.deep.equal([]);
    await avery.browser.request('/auth/session');
    expect(sessionQueries, 'the session route').to.include('get');
  });

  it("96 A signed-in caller's prompt contains nothing about their organization", async () => {
    const sent = await providerBodyFor({ Cookie: avery.cookie });
    expect(sent).to.deep.equal(await providerBodyFor());
    for (const own of ['Example Castings', 'Metal casting', 'Head of operations', avery.user.name, avery.user.id]) {
      expect(JSON.stringify(sent)).not.to.include(own);
    }
  });

  it('97 Demo chat changes no table', async () => {
    const tables = await app.storage.rows(
      `select table_name as name from information_schema.tables where table_schema = 'public' order by table_name`,
    );
    expect(tables.map(({ name }) => name)).to.include.members(['chat_messages', 'conversations', 'sessions']);
    const contents = async () => {
      const rows = [];
      for (const { name } of tables) rows.push(await app.storage.rows(`select * from ${name}`));
      return rows;
    };
    const before = await contents();
    for (const Cookie of ['', ...cookies()]) await turn({ Cookie });
    expect(await contents()).to.deep.equal(before);
  });

  for (const [row, name] of [
    [98, 'X-Conversation-Id'],
    [99, 'X-Prompt-Version'],
  ] as const) {
    it(`${row} Responses, including errors, have no ${name}`, async () => {
      const body = { ...question(), conversationId: `c${'0'.repeat(24)}` };
      expect((await turn({ Cookie: avery.cookie }, body)).headers.get(name)).to.equal(null);
      app.provider.answerWith({ refuse: { status: 500, type: 'api_error', message: 'Scripted.' } });
      expect((await turn({ Cookie: avery.cookie }, body)).headers.get(name)).to.equal(null);
    });
  }

  it('100 conversationId is ignored', async () => {
    const live = await app.live(avery, question());
    await live.text();
    const messages = () => app.storage.rows('select * from chat_messages order by position');
    const before = await messages();
    for (const conversationId of [live.headers.get('x-conversation-id'), 7, null, {}]) {
      const sent = await providerBodyFor({ Cookie: avery.cookie }, { ...question(), conversationId });
      expect(sent).to.deep.equal(await providerBodyFor());
    }
    expect(await messages()).to.deep.equal(before);
  });

  it('104 Demo chat works while the database is down', async () => {
    const storage = await createTestDatabase();
    await using offline = await createTestApp({ shared: { storage } });
    const { cookie } = await offline.person();
    await storage.close();
    expect((await offline.live({ cookie }, question())).status, 'the database is down').to.equal(500);
    for (const Cookie of ['', cookie]) {
      const response = await offline.demo(question(), { Cookie });
      expect(response.status).to.equal(200);
      expect(await response.text()).to.equal(defaultReply.text);
    }
  });

  it('101 The provider request has max_tokens 2048 and effort medium', async () => {
    const { max_tokens, output_config } = await providerBodyFor({}, { ...question(), max_tokens: 9, effort: 'high' });
    expect({ max_tokens, output_config }).to.deep.equal({ max_tokens: 2048, output_config: { effort: 'medium' } });
  });

  it('102 The system prompt is one cached text block, byte for byte the same in every request', async () => {
    const { system } = await providerBodyFor();
    expect(system).to.deep.equal([{ type: 'text', text: system[0]?.text, cache_control: { type: 'ephemeral' } }]);
    const others = [
      await providerBodyFor({ Cookie: avery.cookie, 'X-Forwarded-For': '203.0.113.7' }),
      await providerBodyFor({}, { messages: [...question().messages, ...question('And then?').messages] }),
    ];
    clock = install({ now: Date.now() + yearMilliseconds, toFake: ['Date'] });
    others.push(await providerBodyFor());
    for (const other of others) expect(other.system).to.deep.equal(system);
  });

  it('103 The system prompt contains the fictional engagement, and no layers L4 to L6', async () => {
    const text = (await providerBodyFor()).system[0]?.text ?? '';
    expect(text.match(/^# .*$/gm)).to.deep.equal([
      '# L1 Role and remit',
      '# L2 Advisory method',
      '# L3 House style',
      '# This demonstration',
      '# The engagement',
      '# L7 Boundaries',
    ]);
    expect(demoEngagement.organization.industry).to.match(/^Manufacturing/);
    expect(readDataSection(text.slice(text.indexOf('# The engagement')))).to.deep.equal(demoEngagement);
  });

  it('105 Prior turns are forwarded', async () => {
    const messages = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: [{ type: 'text', text: 'Two' }] },
      { role: 'user', content: [{ type: 'text', text: 'Three' }] },
    ];
    expect((await providerBodyFor({}, { messages })).messages).to.deep.equal(messages);
  });

  it('106 A final assistant message is forwarded', async () => {
    const messages = [...question().messages, { role: 'assistant', content: 'Let me' }];
    expect(await turn({}, { messages })).to.deep.include(upstreamError);
    expect((await app.provider.request(1)).body.messages).to.deep.equal(messages);
  });

  it('107 A malformed element of messages is 502 UPSTREAM_ERROR, not MISSING_MESSAGES', async () => {
    const blocks = ['x', ' \n'].map((text) => ({ type: 'text', text }));
    const ofUser = [undefined, 7, ' \n', blocks].map((content) => ({ role: 'user', content }));
    for (const element of [null, 7, 'text', [], {}, { role: 'x', content: 'y' }, ...ofUser]) {
      expect(await turn({}, { messages: [element] }), JSON.stringify(element)).to.deep.include(upstreamError);
    }
    expect(app.provider.requests).to.have.length(0);
  });

  it("108 The provider's 400, 401 and 403 become 502 UPSTREAM_ERROR", async () => {
    for (const [status, type] of [
      [400, 'invalid_request_error'],
      [401, 'authentication_error'],
      [403, 'permission_error'],
    ] as const) {
      app.provider.answerWith({ refuse: { status, type, message: 'Scripted.' } });
      expect(await turn(), `after ${status}`).to.deep.include(upstreamError);
    }
  });

  it('109 An uncaught error is 502 UPSTREAM_ERROR, never 500', async () => {
    await using broken = await createTestApp({ shared: { storage: app.storage }, clock: brokenClock });
    const response = await broken.demo(question());
    expect({ status: response.status, text: await response.text() }).to.deep.equal(upstreamError);
    const deep = `{"messages":[${'['.repeat(100_000)}${']'.repeat(100_000)}]}`;
    expect(await turn({}, deep), 'nested too deep').to.deep.include(upstreamError);
  });
});
