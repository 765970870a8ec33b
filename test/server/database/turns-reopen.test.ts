import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createNewIds } from '../../../server/database/turns.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { ask, newcomer, type Scope } from './scenes.ts';

describe('a turn that is opened again with the same ids', () => {
  let storage: TestDatabase;
  let avery: Scope;

  beforeEach(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
  });
  afterEach(() => storage.close());

  const stored = () => storage.rows('select id, conversation_id, role from chat_messages order by position');
  const conversations = () => storage.rows('select id from conversations');
  const reserved = () => storage.rows('select id from token_uses');

  function question(conversationId?: string) {
    const asked = { conversationId, content: 'Where do we start?', requestId: 'request 1', newIds: createNewIds() };
    return { ...avery, ...asked };
  }
  const budgets = { user: 1, organization: 1 };

  it('writes nothing more where the first call was committed, and gives what that gave', async () => {
    const { turns } = storage.database;
    const asked = question();
    const first = await turns.open(asked);
    const second = await turns.open(asked);
    expect(second).to.deep.equal(first);
    expect(await stored()).to.deep.equal([
      { id: asked.newIds.message, conversation_id: asked.newIds.conversation, role: 'USER' },
    ]);
    expect(await conversations()).to.have.length(1);
  });

  it('writes nothing more in a conversation that was there before', async () => {
    const { turns } = storage.database;
    const { conversationId } = await ask(storage, avery, { requestId: 'request 0' });
    const asked = question(conversationId);
    await turns.open(asked);
    expect((await turns.open(asked)).conversationId).to.equal(conversationId);
    expect(await stored()).to.have.length(2);
    expect(await conversations()).to.have.length(1);
  });

  it('is not refused by the tokens that its own first call has reserved', async () => {
    const { turns } = storage.database;
    const asked = question();
    const reservation = { id: 'reservation', tokens: 10, budgets };
    const first = await turns.openWithinBudgets(asked, reservation);
    const second = await turns.openWithinBudgets(asked, reservation);
    expect(second).to.deep.equal(first);
    expect(await stored()).to.have.length(1);
    expect(await reserved()).to.deep.equal([{ id: 'reservation' }]);
  });

  it('writes nothing more where another question has come after it meanwhile', async () => {
    const { turns } = storage.database;
    const asked = question();
    const { conversationId } = await turns.open(asked);
    await ask(storage, avery, { conversationId, content: 'And then?' });
    await turns.open(asked);
    expect(await stored()).to.have.length(2);
  });
});
