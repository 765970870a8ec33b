import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { isFinalRefusal } from '../../../server/database/final-refusal.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal, type Scope } from './scenes.ts';

describe('turns.close', () => {
  let storage: TestDatabase;
  let avery: Scope;
  let conversationId: string;

  beforeEach(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
    conversationId = (await ask(storage, avery)).conversationId;
  });
  afterEach(() => storage.close());

  const answers = () => storage.rows(`select * from chat_messages where role = 'ASSISTANT' order by position`);
  const lastMessageAt = async (id = conversationId) => {
    const [row] = await storage.rows('select last_message_at from conversations where id = ?', [id]);
    return row?.last_message_at;
  };

  it('moves lastMessageAt of this conversation, which opening a turn does not', async () => {
    const { conversationId: another } = await ask(storage, avery, { requestId: 'request 3' });
    await ask(storage, avery, { conversationId, requestId: 'request 2' });
    expect(await lastMessageAt()).to.equal(null);
    const before = Date.now();
    await storage.database.turns.close(answerIn(conversationId, avery));
    expect(new Date(String(await lastMessageAt())).getTime()).to.be.within(before - 1, Date.now() + 1);
    expect(await lastMessageAt(another)).to.equal(null);
  });

  it('changes nothing when it is done again with the same id, also at the same time', async () => {
    const answer = answerIn(conversationId, avery);
    await Promise.all(Array.from({ length: 4 }, () => storage.database.turns.close(answer)));
    const bumpedAt = await lastMessageAt();
    await storage.rows('update conversations set last_message_at = ?', ['2026-01-01T00:00:00Z']);
    await storage.database.turns.close({ ...answer, content: 'Something else.' });
    expect(bumpedAt).not.to.equal(null);
    expect(new Date(String(await lastMessageAt())).toISOString()).to.equal('2026-01-01T00:00:00.000Z');
    expect((await answers()).map((row) => row.content)).to.deep.equal(['With the longest wait.']);
  });

  it('takes a place after everything written before, whatever the clocks say', async () => {
    await storage.database.turns.close(answerIn(conversationId, avery));
    await storage.rows(`update chat_messages set created_at = '2000-01-01' where role = 'ASSISTANT'`);
    const roles = await storage.rows('select role from chat_messages order by position');
    expect(roles).to.deep.equal([{ role: 'USER' }, { role: 'ASSISTANT' }]);
  });

  it('bears opening and closing turns of one conversation all at once', async () => {
    const turns = Array.from({ length: 12 }, (_, turn) => turn);
    await Promise.all(
      turns.flatMap((turn) => [
        ask(storage, avery, { conversationId, requestId: `opening ${turn}` }),
        storage.database.turns.close(answerIn(conversationId, avery, { id: `answer ${turn}` })),
      ]),
    );
    expect(await answers()).to.have.length(12);
    expect(await storage.rows('select from chat_messages')).to.have.length(25);
  });

  it("is refused for good, and writes nothing, in another organization's conversation or a deleted one", async () => {
    const casey = await newcomer(storage, 'Casey');
    const { conversationId: foreign } = await ask(storage, casey);
    for (const id of [foreign, 'deleted']) {
      const error = await refusal(storage.database.turns.close(answerIn(id, avery)));
      expect(isFinalRefusal(error)).to.equal(true);
      expect(error.message).not.to.contain('With the longest wait.');
    }
    expect(await answers()).to.have.length(0);
    expect(await lastMessageAt(foreign)).to.equal(null);
  });
});
