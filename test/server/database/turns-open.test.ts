import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal, type Scope } from './scenes.ts';

describe('turns.open', () => {
  let storage: TestDatabase;
  let avery: Scope;

  beforeEach(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
  });
  afterEach(() => storage.close());

  const messages = () => storage.rows('select conversation_id, role, content from chat_messages order by position');
  const conversations = () => storage.rows('select id from conversations');

  it('begins a conversation and commits the question in it', async () => {
    const { conversationId } = await ask(storage, avery);
    expect(conversationId).to.match(/^c[a-z0-9]{24}$/);
    const [message, ...others] = await storage.rows('select * from chat_messages');
    expect(others).to.have.length(0);
    expect(message).to.deep.include({
      org_id: avery.orgId,
      user_id: avery.userId,
      conversation_id: conversationId,
      role: 'USER',
      content: 'Where do we start?',
      request_id: 'request 1',
      input_tokens: null,
      output_tokens: null,
      cache_read_tokens: null,
      cache_create_tokens: null,
      stop_reason: null,
      model: null,
      prompt_version: null,
    });
    expect(await storage.rows('select org_id, user_id, status, last_message_at from conversations')).to.deep.equal([
      { org_id: avery.orgId, user_id: avery.userId, status: 'ACTIVE', last_message_at: null },
    ]);
  });

  it('continues a conversation of the same person in the same organization', async () => {
    const { conversationId } = await ask(storage, avery);
    const next = await ask(storage, avery, { conversationId, content: 'And then?', requestId: 'request 2' });
    expect(next.conversationId).to.equal(conversationId);
    expect((await messages()).map((row) => row.content)).to.deep.equal(['Where do we start?', 'And then?']);
  });

  it('begins another conversation for every id that is none of theirs, and leaves the one it names alone', async () => {
    const { conversationId: own } = await ask(storage, avery);
    const casey = await newcomer(storage, 'Casey');
    const { conversationId: foreign } = await ask(storage, casey);
    const colleague = await newcomer(storage, 'Devon');
    await storage.administration.moveUser(colleague.userId, avery.orgId);
    const { conversationId: colleagues } = await ask(storage, { ...colleague, orgId: avery.orgId });

    const ids = [
      undefined,
      null,
      '',
      0,
      25,
      true,
      {},
      { id: own },
      [own],
      own.toUpperCase(),
      ` ${own}`,
      `${own}\0`,
      own.slice(0, -1),
      'c'.repeat(10_240),
      `c${'0'.repeat(24)}`,
      "' or true --",
      foreign,
      colleagues,
    ];
    const before = (await messages()).length;
    const opened = new Set<string>();
    for (const [index, conversationId] of ids.entries()) {
      opened.add((await ask(storage, avery, { conversationId, requestId: `another ${index}` })).conversationId);
    }
    expect(opened.size).to.equal(ids.length);
    expect(await messages()).to.have.length(before + ids.length);
    for (const conversationId of [own, foreign, colleagues]) {
      expect((await messages()).filter((row) => row.conversation_id === conversationId)).to.have.length(1);
    }
  });

  it('gives what the prompt is composed from', async () => {
    await storage.rows('update users set role = ?', ['Head of operations']);
    await storage.rows('update organizations set industry = ?, size = ?', ['Metal casting', '120 people']);
    const state = {
      week: 3,
      focus: 'Shorter lead times',
      hypotheses: [{ statement: 'Most of it is waiting', status: 'open' as const, evidence: ['Travel cards'] }],
      unknowns: [{ question: 'What waiting costs', whyItMatters: 'It sets the order' }],
      findings: [{ statement: 'Batches are large', week: 2 }],
    };
    await storage.administration.setEngagementState(avery.userId, state);
    expect((await ask(storage, avery)).facts).to.deep.equal({
      organization: { name: "Avery's organization", industry: 'Metal casting', size: '120 people' },
      user: { name: 'Avery', role: 'Head of operations' },
      engagement: state,
    });
  });

  it('gives no engagement state where there is none, and none of a colleague', async () => {
    const casey = await newcomer(storage, 'Casey');
    await storage.administration.moveUser(casey.userId, avery.orgId);
    const state = { week: 3, hypotheses: [], unknowns: [], findings: [] };
    await storage.administration.setEngagementState(casey.userId, state);
    expect((await ask(storage, avery)).facts.engagement).to.equal(null);
    expect((await ask(storage, { ...casey, orgId: avery.orgId })).facts.engagement).to.deep.equal(state);
  });

  it('is refused for somebody who is of another organization, or was moved there, and writes nothing', async () => {
    const casey = await newcomer(storage, 'Casey');
    const { conversationId } = await ask(storage, casey);
    await storage.administration.moveUser(casey.userId, avery.orgId);
    const written = await messages();
    await refusal(ask(storage, casey, { conversationId }));
    await refusal(ask(storage, { ...avery, orgId: casey.orgId }));
    await refusal(ask(storage, { ...avery, userId: 'nobody' }));
    expect(await messages()).to.deep.equal(written);
    expect(await conversations()).to.have.length(1);
  });

  describe('a retry', () => {
    it('of the last, unanswered question writes no second row', async () => {
      const { conversationId } = await ask(storage, avery);
      const retried = await ask(storage, avery, { conversationId });
      expect(retried.conversationId).to.equal(conversationId);
      expect(await messages()).to.have.length(1);
    });

    it('writes one row where two come together', async () => {
      const { conversationId } = await ask(storage, avery);
      await storage.rows('delete from chat_messages');
      await Promise.all(Array.from({ length: 8 }, () => ask(storage, avery, { conversationId })));
      expect(await messages()).to.have.length(1);
      expect(await conversations()).to.have.length(1);
    });

    it('is recognized whatever its text holds', async () => {
      const question = { content: 'NUL \0, lone \uD800 and ? $1 \\? \' "', requestId: 'r \uDC00' };
      const { conversationId } = await ask(storage, avery, question);
      await ask(storage, avery, { ...question, conversationId });
      expect(await messages()).to.have.length(1);
    });

    for (const [what, change] of [
      ['another request id', { requestId: 'request 2' }],
      ['other content', { content: 'And then?' }],
    ] as const) {
      it(`with ${what} is a question of its own`, async () => {
        const { conversationId } = await ask(storage, avery);
        await ask(storage, avery, { conversationId, ...change });
        expect(await messages()).to.have.length(2);
      });
    }

    it('of an answered question is a question of its own, even where the answer repeats it', async () => {
      const { conversationId } = await ask(storage, avery);
      const echo = answerIn(conversationId, avery, { content: 'Where do we start?' });
      await storage.database.turns.close(echo);
      await ask(storage, avery, { conversationId });
      expect((await messages()).map((row) => row.role)).to.deep.equal(['USER', 'ASSISTANT', 'USER']);
    });

    it('of a question before the last is a question of its own', async () => {
      const { conversationId } = await ask(storage, avery);
      await ask(storage, avery, { conversationId, requestId: 'request 2' });
      await ask(storage, avery, { conversationId });
      expect(await messages()).to.have.length(3);
    });

    it('that names no conversation is a question in a new one', async () => {
      await ask(storage, avery);
      await ask(storage, avery);
      expect(await messages()).to.have.length(2);
      expect(await conversations()).to.have.length(2);
    });
  });
});
