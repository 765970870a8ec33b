import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { isFinalRefusal } from '../../../server/database/final-refusal.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal } from './scenes.ts';

describe('isFinalRefusal', () => {
  let storage: TestDatabase;

  before(async () => {
    storage = await createTestDatabase();
  });
  after(() => storage.close());

  it('is true for a row that breaks a constraint', async () => {
    for (const [columns, values] of [
      ['id', 'null'],
      ['id, name', `'twice', 'A'), ('twice', 'B'`],
    ]) {
      const error = await refusal(storage.rows(`insert into organizations (${columns}) values (${values})`));
      expect(isFinalRefusal(error), error.message).to.equal(true);
    }
    const orphan = await refusal(storage.rows(`insert into memberships values ('nobody', 'nothing')`));
    expect(isFinalRefusal(orphan)).to.equal(true);
  });

  it('is true where a constraint is looked at only when the transaction commits', async () => {
    const scope = await newcomer(storage, 'Avery');
    const { orgId } = await newcomer(storage, 'Casey');
    const error = await refusal(storage.rows('update users set org_id = ? where id = ?', [orgId, scope.userId]));
    expect(isFinalRefusal(error)).to.equal(true);
  });

  it('is true for a value that its column cannot hold', async () => {
    const scope = await newcomer(storage, 'Devon');
    const { conversationId } = await ask(storage, scope);
    const answer = answerIn(conversationId, scope, { inputTokens: 2 ** 31 });
    expect(isFinalRefusal(await refusal(storage.database.turns.close(answer)))).to.equal(true);
  });

  it('is false for what another attempt may not meet again', async () => {
    const failures = [
      refusal(storage.rows(`do $$ begin raise exception using errcode = '40P01'; end $$`)),
      refusal(storage.rows(`do $$ begin raise exception using errcode = '53100'; end $$`)),
      refusal(storage.rows(`do $$ begin raise exception using errcode = '57P01'; end $$`)),
      refusal(storage.rows(`do $$ begin raise exception using errcode = '25006'; end $$`)),
      refusal(storage.rows('select * from not_there_yet')),
    ];
    for (const error of await Promise.all(failures)) expect(isFinalRefusal(error), error.message).to.equal(false);
    const lost = Object.assign(new Error('Connection lost'), { code: 'ECONNRESET' });
    for (const error of [lost, new Error('Connection terminated'), '23505', undefined]) {
      expect(isFinalRefusal(error)).to.equal(false);
    }
  });

  it('goes with errors that say nothing of what was to be stored', async () => {
    const scope = await newcomer(storage, 'Eden');
    const { conversationId } = await ask(storage, scope);
    const secret = 'Nobody may read this in a log.';
    for (const changes of [{ conversationId: 'gone' }, { inputTokens: 2 ** 31 }]) {
      const answer = answerIn(conversationId, scope, { content: secret, ...changes });
      const error = await refusal(storage.database.turns.close(answer));
      expect(`${error.message} ${error.stack}`).not.to.contain(secret);
    }
  });
});
