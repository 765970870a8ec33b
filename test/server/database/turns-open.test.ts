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
