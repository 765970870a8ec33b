import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { promptVersion } from '../../../shared/interface.ts';
import { eventually } from '../../support/eventually.ts';
import { defaultReply, errorEvent } from '../../support/scripted-provider.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

describe('POST /api/chat', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  before(async () => {
    app = await createTestApp();
    avery = await app.person();
  });
  beforeEach(async () => {
    app.provider.reset();
    await app.storage.rows('delete from conversations');
  });
  after(() => app.close());

  const messages = () => app.storage.rows('select * from chat_messages order by position');

  it('streams the reply as plain text under the documented headers', async () => {
    const response = await app.live(avery, question(), { 'X-Request-Id': 'mine' });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(response.headers.get('cache-control')).to.equal('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).to.equal('no');
    expect(response.headers.get('x-prompt-version')).to.equal(promptVersion);
    expect(response.headers.get('x-request-id')).to.equal('mine');
    expect(response.headers.get('x-conversation-id')).to.match(/^c[a-z0-9]{24}$/);
    expect(await response.text()).to.equal(defaultReply.text);
  });

  it('stores both sides of the turn in the conversation that it names', async () => {
    const response = await app.live(avery, question('Why?'));
    await response.text();
    const [asked, answered] = await messages();
    const scope = {
      org_id: avery.user.organization.id,
      user_id: avery.user.id,
      conversation_id: response.headers.get('x-conversation-id'),
      request_id: response.headers.get('x-request-id'),
    };
    expect(asked).to.include({ ...scope, role: 'USER', content: 'Why?', stop_reason: null });
    expect(answered).to.include({
      ...scope,
      role: 'ASSISTANT',
      content: defaultReply.text,
      input_tokens: 101,
      output_tokens: 12,
      cache_read_tokens: 30,
      cache_create_tokens: 40,
      stop_reason: 'end_turn',
      prompt_version: promptVersion,
    });
    const [conversation] = await app.storage.rows('select last_message_at from conversations');
    expect(conversation?.last_message_at).not.to.equal(null);
  });

  it('has committed the question before the provider has answered anything', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ wait: promise }, { text: 'Late.' }] });
    const response = app.live(avery, question());
    await app.provider.request(1);
    expect((await messages()).map(({ role }) => role)).to.deep.equal(['USER']);
    resolve();
    expect(await (await response).text()).to.equal('Late.');
  });

  it('asks the model with the engagement in the sixth layer, 4096 tokens, high effort and four cache breakpoints', async () => {
    await (await app.live(avery, question())).text();
    const [sent] = app.provider.requests;
    expect(sent?.body).to.deep.include({ max_tokens: 4096, output_config: { effort: 'high' }, model: 'claude-test' });
    expect(sent?.body.system[5]?.text).to.include('Most of the lead time is waiting');
    expect(JSON.stringify(sent?.body).match(/cache_control/g)).to.have.length(4);
  });

  it('appends to an own conversation and silently begins a new one for any other id', async () => {
    const first = await app.live(avery, question());
    await first.text();
    const own = first.headers.get('x-conversation-id');
    const casey = await app.person({ provider: 'github', who: 'casey-example' });

    const again = await app.live(avery, { ...question(), conversationId: own });
    expect(again.headers.get('x-conversation-id')).to.equal(own);
    const foreign = await app.live(casey, { ...question(), conversationId: own });
    expect(foreign.headers.get('x-conversation-id')).not.to.equal(own);
    for (const conversationId of ['c'.repeat(25), '', 7, null, {}, 'x'.repeat(10_000)]) {
      const response = await app.live(avery, { ...question(), conversationId });
      expect(response.status).to.equal(200);
      expect(response.headers.get('x-conversation-id')).not.to.equal(own);
    }
  });

  it('does not write a question again that a retry repeats under the same request id', async () => {
    app.provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } });
    const failed = await app.live(avery, question(), { 'X-Request-Id': 'once' });
    expect(failed.status).to.equal(503);
    const conversationId = failed.headers.get('x-conversation-id');
    app.provider.reset();
    await (await app.live(avery, { ...question(), conversationId }, { 'X-Request-Id': 'once' })).text();
    expect((await messages()).map(({ role }) => role)).to.deep.equal(['USER', 'ASSISTANT']);
  });

  it('appends one generic line to a reply that fails after its first text, and stores what came', async () => {
    app.provider.answerWith({ steps: [{ text: 'Half' }, errorEvent('overloaded_error')] });
    const response = await app.live(avery, question());
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal('Half\n\n[UPSTREAM_ERROR: The model could not finish the reply.]');
    const [, answered] = await messages();
    expect(answered).to.include({ content: 'Half', stop_reason: null, output_tokens: 1 });
  });

  it('leaves no answer where the turn failed before any text', async () => {
    app.provider.answerWith({ steps: [errorEvent('api_error')] });
    const response = await app.live(avery, question());
    expect(response.status).to.equal(502);
    expect(await response.text()).to.equal('UPSTREAM_ERROR: The model could not finish the reply.');
    expect((await messages()).map(({ role }) => role)).to.deep.equal(['USER']);
  });

  it('aborts the provider when the client leaves, and stores what had come', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Some' }, { wait: promise }] });
    const client = new AbortController();
    const response = await fetch(`${app.url}/api/chat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: avery.cookie },
      body: JSON.stringify(question()),
      signal: client.signal,
    });
    await response.body?.getReader().read();
    client.abort();
    expect(await (await app.provider.request(1)).ended).to.equal('left');
    resolve();
    const answered = await eventually(async () => (await messages())[1]);
    expect(answered).to.include({ role: 'ASSISTANT', content: 'Some', stop_reason: null });
  });

  it('ends a reply that the shutdown cuts with the error line, and stores it', async () => {
    await using doomed = await createTestApp({ shared: { storage: app.storage } });
    const { promise, resolve } = Promise.withResolvers<void>();
    doomed.provider.answerWith({ steps: [{ text: 'So far' }, { wait: promise }] });
    const response = await doomed.live(avery, question());
    doomed.cut.abort();
    expect(await response.text()).to.match(/^So far\n\n\[UPSTREAM_ERROR: /);
    expect((await messages())[1]).to.include({ content: 'So far', stop_reason: null });
    resolve();
  });

  it('refuses in the documented order: session, onboarding, limit, JSON, messages', async () => {
    await using limited = await createTestApp({ shared: { storage: app.storage }, limits: { live: 1 } });
    const newcomer = await limited.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
    const refusals = [
      [await limited.live({ cookie: '' }, '{'), 401, 'UNAUTHENTICATED: Sign in to continue.'],
      [await limited.live(newcomer, '{'), 403, 'NOT_ONBOARDED: Complete onboarding to continue.'],
      [await limited.live(avery, '{'), 400, 'INVALID_JSON: The request body is not valid JSON.'],
      [await limited.live(avery, '{'), 429, 'RATE_LIMITED: Too many requests. Try again in 60 seconds.'],
    ] as const;
    for (const [response, status, body] of refusals) {
      expect(response.status).to.equal(status);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(response.headers.get('retry-after')).to.equal(status === 429 ? '60' : null);
      expect(response.headers.get('set-cookie')).to.equal(null);
      expect(await response.text()).to.equal(body);
    }
    expect(limited.provider.requests).to.have.length(0);
    expect(await messages()).to.have.length(0);
  });

  for (const [body, code] of [
    ['', 'INVALID_JSON'],
    ['null', 'MISSING_MESSAGES'],
    ['[]', 'MISSING_MESSAGES'],
    ['"x"', 'MISSING_MESSAGES'],
    [{}, 'MISSING_MESSAGES'],
    [{ messages: [] }, 'MISSING_MESSAGES'],
    [{ messages: 'x' }, 'MISSING_MESSAGES'],
    [{ messages: [null] }, 'MISSING_MESSAGES'],
    [{ messages: [{ role: 'user', content: '' }] }, 'MISSING_MESSAGES'],
    [{ messages: [{ role: 'user', content: [{ type: 'image' }] }] }, 'MISSING_MESSAGES'],
    [{ messages: [{ role: 'system', content: 'x' }, ...question().messages] }, 'MISSING_MESSAGES'],
    [{ messages: [{ role: 'assistant', content: 'x' }] }, 'LAST_MESSAGE_NOT_USER'],
    [{ messages: [...question().messages, { role: 'system', content: 'x' }] }, 'LAST_MESSAGE_NOT_USER'],
    [`{"messages":${'['.repeat(6000)}${']'.repeat(6000)}}`, 'MISSING_MESSAGES'],
  ] as const) {
    it(`answers ${code} to ${JSON.stringify(body).slice(0, 70)}, without a row or a provider call`, async () => {
      const response = await app.live(avery, body);
      expect(response.status).to.equal(400);
      expect(await response.text()).to.match(new RegExp(`^${code}: `));
      expect(app.provider.requests).to.have.length(0);
      expect(await messages()).to.have.length(0);
    });
  }

  it('sends the history as it came, drops unknown fields and ignores the rest of the body', async () => {
    const history = [
      { role: 'user', content: [{ type: 'text', text: 'One', cache_control: { type: 'ephemeral' } }], name: 'x' },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: 'Three' },
    ];
    await (await app.live(avery, { messages: history, model: 'other', max_tokens: 1, system: 'x', tools: [] })).text();
    const body = app.provider.requests[0]?.body;
    expect(body?.messages).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: 'One' }] },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: [{ type: 'text', text: 'Three', cache_control: { type: 'ephemeral' } }] },
    ]);
    expect(body).to.include({ model: 'claude-test', max_tokens: 4096 });
    expect(body).not.to.have.property('tools');
    expect((await messages()).filter(({ role }) => role === 'USER')).to.have.length(1);
  });

  it('completes the reply while the database is away, and writes the answer once it is back', async () => {
    let away = true;
    let attempts = 0;
    const { turns } = app.storage.database;
    const failing = {
      ...app.storage.database,
      turns: {
        ...turns,
        close: async (answer: Parameters<typeof turns.close>[0]) => {
          attempts += 1;
          if (away) throw new Error('connection refused');
          await turns.close(answer);
        },
      },
    };
    await using unlucky = await createTestApp({ shared: { storage: app.storage }, database: failing });
    const response = await unlucky.live(avery, question());
    expect(await response.text()).to.equal(defaultReply.text);
    expect(attempts).to.be.greaterThan(0);
    expect(await messages()).to.have.length(1);
    away = false;
    await unlucky.lateWrites.drain(AbortSignal.timeout(10_000));
    expect((await messages()).map(({ role }) => role)).to.deep.equal(['USER', 'ASSISTANT']);
  });

  it('answers 500 without calling the provider while the database is down', async () => {
    const broken = {
      ...app.storage.database,
      turns: { ...app.storage.database.turns, open: () => Promise.reject(new Error('connection refused')) },
    };
    await using unlucky = await createTestApp({ shared: { storage: app.storage }, database: broken });
    const response = await unlucky.live(avery, question());
    expect(response.status).to.equal(500);
    expect(await response.text()).to.equal('INTERNAL: Something went wrong on our side.');
    expect(unlucky.provider.requests).to.have.length(0);
  });

  it('logs identifiers and counts, and never what was said, cookies or keys', async () => {
    app.lines.length = 0;
    app.provider.answerWith({ steps: [{ text: 'secret answer' }, errorEvent('api_error')] });
    const response = await app.live(avery, question('secret question'));
    await response.text();
    const line = await eventually(() => app.lines.find(({ path }) => path === '/api/chat'));
    expect(line).to.include({
      requestId: response.headers.get('x-request-id'),
      status: 200,
      userId: avery.user.id,
      orgId: avery.user.organization.id,
      code: 'UPSTREAM_ERROR',
      ending: 'failed',
    });
    expect(line.providerRequestId).to.match(/^req_/);
    expect(JSON.stringify([...response.headers])).not.to.include('req_');
    const log = JSON.stringify(app.lines);
    for (const secret of ['secret', avery.cookie.split('=')[1] ?? '', 'test-key', 'Example Castings']) {
      expect(log).not.to.include(secret);
    }
  });
});
