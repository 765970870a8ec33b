import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply, errorEvent } from '../support/scripted-provider.ts';
import { createTestApp, exampleOnboarding, question } from '../support/test-app.ts';

describe('Live chat: stored messages', () => {
  const app = perSuite(() => createTestApp({ limits: { live: 1000 } }));
  const avery = perSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    await app.storage.rows('delete from conversations');
  });

  const messages = () => app.storage.rows('select * from chat_messages order by position');
  const roles = async () => (await messages()).map(({ role }) => role);

  async function turn({ body = question(), headers = {}, status = 200 }: TurnOptions = {}) {
    const response = await app.live(avery, body, headers);
    expect(response.status).to.equal(status);
    await response.text();
    return response.headers.get('x-conversation-id');
  }

  /** Starts a turn whose provider has received the request and sends nothing until `answer` is called. */
  async function pendingTurn() {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ wait: promise }, { text: 'At last.' }] });
    const count = app.provider.requests.length + 1;
    const response = app.live(avery, question());
    await app.provider.request(count);
    return {
      async answer() {
        resolve();
        await (await response).text();
      },
    };
  }

  it('84 The USER row is stored before the provider sends anything', async () => {
    const { answer } = await pendingTurn();
    expect((await messages()).map(({ role, content }) => [role, content])).to.deep.equal([
      ['USER', 'Where do we start?'],
    ]);
    await answer();
  });

  it('85 The USER row has the orgId and userId of the caller', async () => {
    const conversationId = await turn();
    const [row] = await messages();
    expect(row).to.include({
      role: 'USER',
      org_id: avery.user.organization.id,
      user_id: avery.user.id,
      conversation_id: conversationId,
    });
  });

  it('86 A request that replays n turns stores one USER row', async () => {
    const replayed = Array.from({ length: 20 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${index}`,
    }));
    await turn({ body: { messages: [...replayed, { role: 'user', content: 'The last' }] } });
    expect((await messages()).map(({ role, content }) => [role, content])).to.deep.equal([
      ['USER', 'The last'],
      ['ASSISTANT', defaultReply.text],
    ]);
  });

  it('87 The close of the stream stores one ASSISTANT row', async () => {
    for (const turns of [1, 2, 3]) {
      await turn();
      expect((await roles()).filter((role) => role === 'ASSISTANT')).to.have.length(turns);
    }
    expect((await messages()).at(-1)).to.include({
      content: defaultReply.text,
      org_id: avery.user.organization.id,
      user_id: avery.user.id,
    });
    app.provider.answerWith({ steps: [] });
    await turn();
    expect((await messages()).at(-1), 'of an empty reply').to.include({ role: 'ASSISTANT', content: '' });
  });

  it("88 The four token counts of the ASSISTANT row match the provider's usage", async () => {
    app.provider.answerWith({
      steps: [{ text: 'Counted.' }],
      usage: { input_tokens: 1234, output_tokens: 567, cache_read_input_tokens: 89, cache_creation_input_tokens: 0 },
    });
    await turn();
    const [userRow, assistantRow] = await messages();
    expect(assistantRow).to.include({
      input_tokens: 1234,
      output_tokens: 567,
      cache_read_tokens: 89,
      cache_create_tokens: 0,
    });
    for (const column of ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_create_tokens']) {
      expect(userRow?.[column], `${column} of the USER row`).to.equal(null);
    }
    // An event may omit unchanged counts. The last value of each count is stored, even for an incomplete reply.
    const usage = { input_tokens: 7, output_tokens: 3 };
    app.provider.answerWith({
      steps: [
        { text: 'Half' },
        { event: { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage } },
        { cut: true },
      ],
      usage: { cache_read_input_tokens: 89 },
    });
    await turn();
    const half = { content: 'Half', stop_reason: null, input_tokens: 7, output_tokens: 3, cache_read_tokens: 89 };
    expect((await messages()).at(-1)).to.include(half);
  });

  it('89 The ASSISTANT row has stopReason, model and promptVersion', async () => {
    app.provider.answerWith({ steps: [{ text: 'Cut off' }], stopReason: 'max_tokens', model: 'served-model' });
    await turn();
    const [userRow, assistantRow] = await messages();
    expect(assistantRow).to.include({ stop_reason: 'max_tokens', model: 'served-model', prompt_version: '1.0.0' });
    expect(userRow).to.include({ stop_reason: null, model: null, prompt_version: null });
  });

  it('90 lastMessageAt advances at the close of the stream', async () => {
    const minutesAgo = async () => {
      const [row] = await app.storage.rows(
        'select extract(epoch from now() - last_message_at)::float8 / 60 as minutes from conversations',
      );
      return row?.minutes;
    };
    const first = await pendingTurn();
    expect(await minutesAgo(), 'before the first close').to.equal(null);
    await first.answer();
    expect(await minutesAgo()).to.be.within(-1, 1);

    const [conversation] = await app.storage.rows(
      `update conversations set last_message_at = now() - interval '1 hour' returning id`,
    );
    app.provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } });
    await turn({ body: { ...question(), conversationId: conversation?.id }, status: 503 });
    expect(await minutesAgo(), 'after a turn without an answer').to.be.within(60, 61);
    app.provider.reset();
    await turn({ body: { ...question(), conversationId: conversation?.id } });
    expect(await minutesAgo()).to.be.within(-1, 1);
  });

  it('91 A turn does not change the engagement state', async () => {
    const states = () => app.storage.rows('select * from engagement_states');
    const before = await states();
    expect(before).to.have.length(1);
    expect(before[0]).to.include({ week: 1, focus: exampleOnboarding.engagement.focus });
    await turn({ body: { ...question('Move on to week 2.'), week: 2, engagement: { week: 2 } } });
    app.provider.answerWith({ steps: [{ text: 'Half' }, errorEvent('api_error')] });
    await turn();
    expect(await states()).to.deep.equal(before);
  });

  it('92 The role of a stored message never changes', async () => {
    const conversationId = await turn();
    const body = { ...question(), conversationId };
    const headers = { 'X-Request-Id': 'once' };
    const written = await messages();
    app.provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } });
    await turn({ body, headers, status: 503 });
    const failed = await messages();
    app.provider.reset();
    await turn({ body, headers });
    expect(await roles()).to.deep.equal(['USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
    expect(failed.slice(0, 2)).to.deep.equal(written);
    expect((await messages()).slice(0, 3)).to.deep.equal(failed);
  });
});

type TurnOptions = { body?: unknown; headers?: Record<string, string>; status?: number };
