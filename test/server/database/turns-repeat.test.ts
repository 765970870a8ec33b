import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, type Scope } from './scenes.ts';

describe('drop_cut_answer', () => {
  let storage: TestDatabase;
  let avery: Scope;

  beforeEach(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
  });
  afterEach(() => storage.close());

  it('deletes part of an answer, and nothing else', async () => {
    const { turns } = storage.database;
    const { conversationId } = await ask(storage, avery, { requestId: 'before' });
    await turns.close(answerIn(conversationId, avery, { id: 'before', requestId: 'before', stopReason: null }));
    const { attempt } = await ask(storage, avery, { conversationId });
    await turns.close(answerIn(conversationId, avery, { id: 'cut', stopReason: null }));
    await turns.close(answerIn(conversationId, avery, { id: 'whole' }));
    await turns.close(answerIn(conversationId, avery, { id: 'other request', requestId: 'other', stopReason: null }));
    const casey = await newcomer(storage, 'Casey');
    const theirs = await ask(storage, casey);
    await turns.close(answerIn(theirs.conversationId, casey, { id: 'theirs', stopReason: null }));

    const [question] = attempt.split(' ');
    const drop = (...parameters: unknown[]) => storage.rows('select drop_cut_answer(?, ?, ?, ?)', parameters);
    await drop(casey.orgId, conversationId, question, 'request 1');
    await drop(avery.orgId, theirs.conversationId, question, 'request 1');
    const ids = async () => {
      const rows = await storage.rows("select id from chat_messages where role = 'ASSISTANT' order by position");
      return rows.map(({ id }) => id);
    };
    expect(await ids()).to.deep.equal(['before', 'cut', 'whole', 'other request', 'theirs']);

    await drop(avery.orgId, conversationId, question, 'request 1');
    expect(await ids()).to.deep.equal(['before', 'whole', 'other request', 'theirs']);
  });
});
