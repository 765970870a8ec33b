import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal, type Scope } from './scenes.ts';

describe('prune', () => {
  let storage: TestDatabase;
  let avery: Scope;
  let casey: Scope;

  beforeEach(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
    casey = await newcomer(storage, 'Casey');
  });
  afterEach(() => storage.close());

  /** A conversation whose question and whose answer, if it has one, are so many days old. */
  async function conversation(scope: Scope, { asked, answered }: { asked: number; answered?: number }) {
    const { conversationId } = await ask(storage, scope);
    const daysAgo = (days: number) => `now() - interval '${days} days'`;
    await storage.rows(`update chat_messages set created_at = ${daysAgo(asked)} where conversation_id = ?`, [
      conversationId,
    ]);
    await storage.rows(`update conversations set created_at = ${daysAgo(asked)} where id = ?`, [conversationId]);
    if (answered !== undefined) {
      await storage.database.turns.close({ ...answerIn(conversationId, scope), id: `answer in ${conversationId}` });
      await storage.rows(
        `update chat_messages set created_at = ${daysAgo(answered)} where conversation_id = ? and role = 'ASSISTANT'`,
        [conversationId],
      );
      await storage.rows(`update conversations set last_message_at = ${daysAgo(answered)} where id = ?`, [
        conversationId,
      ]);
    }
    return conversationId;
  }

  const prune = (retainDays = 30, moment = new Date()) => storage.database.prune(moment, retainDays, 'service');
  const left = async () => (await storage.rows('select id from conversations')).map(({ id }) => String(id));

  it('deletes conversations whose last message is older, of every organization, with their messages', async () => {
    await conversation(avery, { asked: 40, answered: 31 });
    await conversation(casey, { asked: 31 });
    const kept = [
      await conversation(avery, { asked: 29, answered: 29 }),
      await conversation(casey, { asked: 40, answered: 29 }),
    ];
    expect(await prune()).to.equal(2);
    expect(await left()).to.have.members(kept);
    expect(await storage.rows('select 1 from chat_messages')).to.have.length(4);
    expect(await prune()).to.equal(0);
  });

  it('keeps an old conversation in which a question was just asked, though it has no answer yet', async () => {
    const old = await conversation(avery, { asked: 40, answered: 31 });
    await ask(storage, avery, { conversationId: old, content: 'And now?', requestId: 'request 2' });
    expect(await prune()).to.equal(0);
    expect(await left()).to.deep.equal([old]);
  });

  it('counts the days from the moment that it is told', async () => {
    await conversation(avery, { asked: 10 });
    expect(await prune(30, new Date(Date.now() + 19 * 86_400_000))).to.equal(0);
    expect(await prune(30, new Date(Date.now() + 21 * 86_400_000))).to.equal(1);
  });

  it('keeps what is younger than a day, whatever it is told', async () => {
    await conversation(avery, { asked: 0 });
    const { message } = await refusal(prune(30, new Date(Date.now() + 29.5 * 86_400_000)));
    expect(message).to.match(/^What is younger than a day is kept\./);
    expect(await left()).to.have.length(1);
  });

  it('leaves a line of the trail where something was deleted, and none where nothing was', async () => {
    await storage.rows('delete from audit_events');
    await prune();
    expect(await storage.rows('select action from audit_events')).to.deep.equal([]);
    await conversation(avery, { asked: 31 });
    await prune();
    const trail = await storage.rows(
      `select action, actor, subject, details ->> 'conversations' as conversations from audit_events`,
    );
    expect(trail).to.deep.equal([{ action: 'pruned', actor: 'service', subject: null, conversations: '1' }]);
  });
});
