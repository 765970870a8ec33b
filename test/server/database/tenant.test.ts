import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { pino } from 'pino';
import { User } from '../../../server/database/entities.ts';
import { type EntityManager, ormOptions } from '../../../server/database/orm.ts';
import type { Scope } from '../../../server/database/tenant.ts';
import { inOrganization } from '../../../server/database/transactions.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal } from './scenes.ts';

/** Tables without tenant isolation, and the reason. All other tables must have the tenant filter. */
const tablesWithoutTenant: Record<string, string> = {
  identities: 'read at sign-in, before the organization is known',
  sessions: 'read before the organization is known',
  invitations: "the operator's",
  blocked_accounts: "the operator's",
  audit_events: "the operator's",
  schema_migrations: "the migrations'",
};

const { entities } = ormOptions(pino({ level: 'silent' }));

const tenantTables = entities.flatMap(({ meta }) =>
  typeof meta.filters?.tenant?.cond === 'function' ? [{ entity: meta, table: meta.tableName }] : [],
);

describe('tenant isolation', () => {
  let avery: Scope;
  let casey: Scope;

  const storage = perSuite(() => createTestDatabase());
  before(async () => {
    [avery, casey] = [await newcomer(storage, 'Avery'), await newcomer(storage, 'Casey')];
    for (const scope of [avery, casey]) {
      const { conversationId } = await ask(storage, scope);
      await storage.database.turns.close(answerIn(conversationId, scope, { id: `answer of ${scope.userId}` }));
      const state = { week: 1, hypotheses: [], unknowns: [], findings: [] };
      await storage.administration.setEngagementState(scope.userId, state);
      await storage.rows('insert into token_uses (id, org_id, user_id, tokens, used_at) values (?, ?, ?, 1, now())', [
        `use of ${scope.userId}`,
        scope.orgId,
        scope.userId,
      ]);
    }
  });

  const columnOf = (table: string) => (table === 'organizations' ? 'id' : 'org_id');
  const rowsIn = (table: string, { orgId }: Scope) =>
    storage.rows(`select to_jsonb(found) as row from ${table} found where ${columnOf(table)} = ? order by 1`, [orgId]);
  const everything = async () => {
    const all = [];
    for (const { table } of tenantTables) all.push(await rowsIn(table, avery), await rowsIn(table, casey));
    return JSON.stringify(all);
  };
  const asAvery = <T>(work: (em: EntityManager) => Promise<T>) => inOrganization(storage.orm, avery.orgId, work);

  it('covers every table except those that belong to no organization', async () => {
    const tables = await storage.rows(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
    );
    const ruled = tenantTables.map(({ table }) => table);
    for (const { name } of tables) {
      expect(
        ruled.includes(String(name)) || Object.hasOwn(tablesWithoutTenant, String(name)),
        `${name} has no tenant rule`,
      ).to.equal(true);
    }
    for (const name of Object.keys(tablesWithoutTenant)) expect(ruled, name).not.to.include(name);
  });

  for (const { table } of tenantTables) {
    describe(table, () => {
      const column = columnOf(table);
      let foreignRow: object;

      before(async () => {
        foreignRow = (await rowsIn(table, casey))[0]?.row as object;
      });

      it('contains test rows of both organizations, so that a leak would be seen', async () => {
        expect(await rowsIn(table, avery)).not.to.deep.equal([]);
        expect(await rowsIn(table, casey)).not.to.deep.equal([]);
      });

      const reads: Record<string, (em: EntityManager) => Promise<unknown[]>> = {
        'the repository': (em) => em.find(entityNamed(table), {}),
        'the repository without its filter': (em) => em.find(entityNamed(table), {}, { filters: false }),
        'raw SQL': (em) => em.execute(`select * from ${table}`),
        'raw SQL that requests access to all organizations, as the owner can': async (em) => {
          await em.execute(`set local advisory_chat.across_tenants = 'yes'`);
          return em.execute(`select * from ${table}`);
        },
      };
      for (const [access, read] of Object.entries(reads)) {
        it(`shows no rows of the other organization through ${access}`, async () => {
          const text = JSON.stringify(await asAvery(read));
          expect(text).not.to.include(casey.orgId).and.not.include(casey.userId);
          expect(text).to.include(avery.orgId);
        });
      }

      const writes: Record<string, (em: EntityManager) => Promise<unknown>> = {
        "an update of the other organization's rows": (em) =>
          em.execute(`update ${table} set ${column} = ${column} where ${column} = ?`, [casey.orgId]),
        "a deletion of the other organization's rows": (em) =>
          em.execute(`delete from ${table} where ${column} = ?`, [casey.orgId]),
        'an update that moves a row to the other organization': (em) =>
          em.execute(`update ${table} set ${column} = ? where ${column} = ?`, [casey.orgId, avery.orgId]),
        'an update that moves a row of the other organization to this one': (em) =>
          em.execute(`update ${table} set ${column} = ? where ${column} = ?`, [avery.orgId, casey.orgId]),
        'a row that is inserted for the other organization': async (em) => {
          await em.execute(`insert into ${table} select * from jsonb_populate_record(null::${table}, ?::jsonb)`, [
            JSON.stringify({ ...foreignRow, id: 'planted', position: 0, [column]: casey.orgId }),
          ]);
        },
      };
      for (const [access, write] of Object.entries(writes)) {
        it(`rejects or ignores ${access}`, async () => {
          const before = await everything();
          const outcome = await asAvery(write).then(
            () => 'nothing was touched',
            (error: Error) => error.message,
          );
          expect(outcome).to.match(
            /^nothing was touched$|permission denied|row-level security|does not exist|unknown|not/i,
          );
          expect(await everything()).to.equal(before);
        });
      }
    });
  }

  for (const { entity, table } of tenantTables) {
    it(`${table} cannot be read or changed without an organization`, async () => {
      const where = { [entity.primaryKeys[0] ?? 'id']: 'any' } as never;
      const em = () => storage.orm.em.fork();
      for (const query of [
        () => em().find(entityNamed(table), where),
        () => em().findOne(entityNamed(table), where),
        () => em().count(entityNamed(table), where),
        () => em().nativeUpdate(entityNamed(table), where, {}),
        () => em().nativeDelete(entityNamed(table), where),
      ]) {
        expect((await refusal(query())).message).to.equal(`No arguments provided for filter 'tenant'`);
      }
    });
  }

  it('rejects filter parameters without an organization instead of silently matching no rows', async () => {
    const em = storage.orm.em.fork();
    em.setFilterParams('tenant', {});
    expect((await refusal(em.find(User, {}))).message).to.equal('A tenant query requires an organization.');
  });

  it('rejects populating relations without an organization', async () => {
    const em = storage.orm.em.fork();
    const users = await em.find(User, {}, { filters: { tenant: false } });
    const error = await refusal(em.populate(users, ['organization']));
    expect(error.message).to.equal(`No arguments provided for filter 'tenant'`);
  });

  it('restricts an update without a condition to the organization in the filter parameters', async () => {
    const em = storage.orm.em.fork();
    em.setFilterParams('tenant', { orgId: avery.orgId });
    expect(await em.nativeUpdate(User, {}, { role: 'Founder' })).to.equal(1);
    expect(await storage.rows('select id from users where role is not null')).to.deep.equal([{ id: avery.userId }]);
  });

  it('rejects a turn with a user or conversation of another organization', async () => {
    const before = await everything();
    const [{ id } = {}] = await storage.rows('select id from conversations where org_id = ?', [casey.orgId]);
    await refusal(ask(storage, { userId: casey.userId, orgId: avery.orgId }));
    await storage.database.turns.close(answerIn(String(id), avery, { id: 'planted' }));
    expect(await everything()).to.equal(before);
    const opened = await ask(storage, avery, { conversationId: id, requestId: 'request 2' });
    expect(opened.conversationId).not.to.equal(id);
  });
});

function entityNamed(table: string) {
  const found = entities.find(({ meta }) => meta.tableName === table);
  if (found === undefined) throw new Error(`${table} is no entity.`);
  return found as never as { new (): object };
}
