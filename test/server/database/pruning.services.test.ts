import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { openDatabase } from '../../../server/database/database.ts';
import { openOrm } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { acrossOrganizations, inOrganization } from '../../../server/database/transactions.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase, onServer, type TestDatabase } from '../../support/test-database.ts';
import { createEmptyDatabase, createServerUser } from './empty-database.ts';
import { ask, newcomer, refusal, type Scope } from './scenes.ts';

const silent = pino({ level: 'silent' });

describe('prune, among several processes', () => {
  let storage: TestDatabase;
  let avery: Scope;

  beforeEach(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
  });
  afterEach(() => storage.close());

  async function oldConversation(): Promise<string> {
    const { conversationId } = await ask(storage, avery);
    await storage.rows(`update chat_messages set created_at = now() - interval '40 days' where conversation_id = ?`, [
      conversationId,
    ]);
    await storage.rows(`update conversations set created_at = now() - interval '40 days' where id = ?`, [
      conversationId,
    ]);
    return conversationId;
  }
  const prune = () => storage.database.prune(new Date(), 30, 'service');

  it('is done by one at a time: the others do nothing', async () => {
    await oldConversation();
    await storage.orm.em.fork().transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(523, 0)');
      expect(await prune()).to.equal(null);
    });
    expect(await prune()).to.equal(1);
  });

  it('leaves a conversation alone in which a turn is being opened, and waits for nobody', async () => {
    const busy = await oldConversation();
    await oldConversation();
    await inOrganization(storage.orm, avery.orgId, async (em) => {
      await em.execute('select 1 from conversations where id = ? for no key update', [busy]);
      expect(await prune()).to.equal(1);
      expect(await storage.rows('select id from conversations')).to.deep.equal([{ id: busy }]);
    });
  });

  it('is granted to the login that serves, which can delete no conversation by itself', async () => {
    const server = required(testDatabaseUrl);
    await using opened = new AsyncDisposableStack();
    const ownerUser = opened.use(await createServerUser(''));
    const servingUser = opened.use(await createServerUser('noinherit'));
    await onServer(server, `grant ${tenantRole} to ${ownerUser.name} with admin option`);
    const empty = opened.use(await createEmptyDatabase(ownerUser.name));
    const [url, ownerUrl] = [servingUser.urlOf(empty.url), ownerUser.urlOf(empty.url)];
    const database = await openDatabase({ kind: 'postgresql', url, ownerUrl }, silent);
    opened.defer(database.close);
    const owner = await openOrm({ kind: 'postgresql', url: ownerUrl }, silent);
    opened.defer(() => owner.close(true));
    const person = await newcomer({ database } as TestDatabase, 'Casey');
    await ask({ database } as TestDatabase, person);
    await acrossOrganizations(owner, async (em) => {
      await em.execute(`update conversations set created_at = now() - interval '40 days'`);
      await em.execute(`update chat_messages set created_at = now() - interval '40 days'`);
    });

    const serving = await openOrm({ kind: 'postgresql', url }, silent);
    opened.defer(() => serving.close(true));
    const { message } = await refusal(
      inOrganization(serving, person.orgId, (em) => em.execute('delete from conversations')),
    );
    expect(message).to.include('permission denied for table conversations');
    expect(await database.prune(new Date(), 30, 'service')).to.equal(1);
    expect(await acrossOrganizations(owner, (em) => em.execute('select 1 from chat_messages'))).to.deep.equal([]);
  });
});
