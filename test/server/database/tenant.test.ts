import { type EntityName, type FilterQuery, Utils } from '@mikro-orm/core';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { ChatMessage } from '../../../server/database/entities/chat-message.ts';
import { Conversation } from '../../../server/database/entities/conversation.ts';
import { EngagementState } from '../../../server/database/entities/engagement-state.ts';
import { Organization } from '../../../server/database/entities/organization.ts';
import { Membership, User } from '../../../server/database/entities/user.ts';
import { acrossTenants } from '../../../server/database/tenant.ts';
import { inOrganization } from '../../../server/database/transactions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { ask, newcomer, refusal, type Scope } from './scenes.ts';

describe('the tenant filter', () => {
  let storage: TestDatabase;
  let avery: Scope;
  let casey: Scope;

  before(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
    casey = await newcomer(storage, 'Casey');
    for (const scope of [avery, casey]) {
      await ask(storage, scope);
      await storage.rows(`insert into engagement_states values (?, ?, 1, null, '[]', '[]', '[]')`, [
        scope.userId,
        scope.orgId,
      ]);
    }
  });
  after(() => storage.close());

  function belongsToOneOrganization<T extends object>(entity: EntityName<T>, where: FilterQuery<NoInfer<T>>) {
    const name = Utils.className(entity);

    it(`lets no query of ${name} be built without an organization`, async () => {
      const em = () => storage.orm.em.fork();
      const queries = [
        () => em().find(entity, where),
        () => em().findOne(entity, where),
        () => em().count(entity, where),
        () => em().nativeUpdate(entity, where, {}),
        () => em().nativeDelete(entity, where),
      ];
      for (const query of queries) {
        expect((await refusal(query())).message).to.equal(`No arguments provided for filter 'tenant'`);
      }
    });

    it(`gives one organization's rows of ${name} and no other's`, async () => {
      expect(await storage.orm.em.fork().count(entity, {}, acrossTenants)).to.equal(2);
      expect(await inOrganization(storage.orm, avery.orgId, (em) => em.count(entity))).to.equal(1);
    });
  }
  belongsToOneOrganization(Organization, { id: 'any' });
  belongsToOneOrganization(User, { id: 'any' });
  belongsToOneOrganization(Membership, { userId: 'any' });
  belongsToOneOrganization(Conversation, { id: 'any' });
  belongsToOneOrganization(ChatMessage, { id: 'any' });
  belongsToOneOrganization(EngagementState, { userId: 'any' });

  it('refuses parameters without an organization, where it would otherwise find nothing and say nothing', async () => {
    const em = storage.orm.em.fork();
    em.setFilterParams('tenant', {});
    expect((await refusal(em.find(User, {}))).message).to.equal('A tenant query needs an organization.');
  });

  it('lets nothing be populated without an organization', async () => {
    const em = storage.orm.em.fork();
    const users = await em.find(User, {}, acrossTenants);
    const error = await refusal(em.populate(users, ['organization']));
    expect(error.message).to.equal(`No arguments provided for filter 'tenant'`);
  });

  it('is enough by itself to keep updates and deletions in the organization', async () => {
    const em = storage.orm.em.fork();
    em.setFilterParams('tenant', { orgId: avery.orgId });
    expect(await em.nativeUpdate(User, {}, { role: 'Founder' })).to.equal(1);
    expect(await em.nativeDelete(EngagementState, {})).to.equal(1);
    expect(await storage.rows('select id, role from users order by name')).to.deep.equal([
      { id: avery.userId, role: 'Founder' },
      { id: casey.userId, role: null },
    ]);
    expect(await storage.rows('select user_id from engagement_states')).to.deep.equal([{ user_id: casey.userId }]);
  });
});
