import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { openOrm } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { signIn } from '../../support/people.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { onServer } from '../../support/test-database.ts';
import { createEmptyDatabase, createServerUser } from './empty-database.ts';

const silent = pino({ level: 'silent' });
const open = (url: string) => openDatabase({ kind: 'postgresql', url }, silent);

/** Signs somebody in and opens a turn, which works under the tenant role. */
async function work(database: Database, subject = '1') {
  const person = await signIn(database, { provider: 'google', subject, name: null, email: null });
  const scope = { userId: person.id, orgId: person.organization.id };
  return database.turns.open({
    ...scope,
    conversationId: undefined,
    content: 'Where do we start?',
    requestId: 'request 1',
  });
}

describe('openDatabase, on a PostgreSQL server', () => {
  it('migrates once where several instances start together on an empty database', async () => {
    await using empty = await createEmptyDatabase();
    await using opened = new AsyncDisposableStack();
    const instances = await Promise.all(
      [1, 2, 3, 4].map(async () => opened.adopt(await open(empty.url), (instance) => instance.close())),
    );
    await Promise.all(instances.map((instance, index) => work(instance, `subject ${index}`)));
    await using orm = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
    expect(await orm.em.fork().execute('select name from schema_migrations')).to.deep.equal([
      { name: '2026-11-21-initial' },
      { name: '2026-11-21-turns' },
      { name: '2026-11-21-sessions' },
      { name: '2026-11-22-people' },
      { name: '2026-11-22-budgets' },
    ]);
  });

  it('waits while another instance migrates', async () => {
    await using empty = await createEmptyDatabase();
    await using other = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
    let opening: Promise<Database> | undefined;
    await other.em.fork().transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(5212081)');
      opening = open(empty.url);
      await eventually(async () => {
        const [row] = await em.execute(
          `select count(*)::int from pg_locks where locktype = 'advisory' and not granted
              and database = (select oid from pg_database where datname = current_database())`,
        );
        return row?.count === 1 ? true : undefined;
      });
      expect(await em.execute(`select to_regclass('users') as found`)).to.deep.equal([{ found: null }]);
    });
    await using database = closing(await (opening ?? open(empty.url)));
    await database.ping();
  });

  it('migrates two databases of one server at the same time: their tenant role is the same', async () => {
    await using one = await createEmptyDatabase();
    await using another = await createEmptyDatabase();
    await using opened = new AsyncDisposableStack();
    const databases = await Promise.all(
      [one, another].map(async ({ url }) => opened.adopt(await open(url), (database) => database.close())),
    );
    for (const database of databases) {
      expect((await work(database)).facts.organization.name).to.equal('New organization');
    }
  });

  describe('as a user who is no superuser', () => {
    /** Since PostgreSQL 16 the right to create roles gives nothing over a role that somebody else has created. */
    const asItsCreator = (user: string) => `do $$ begin
      if current_setting('server_version_num')::int >= 160000 then
        execute 'grant ${tenantRole} to ${user} with admin true, inherit false, set false';
      end if;
    end $$`;

    for (const [situation, attributes, preparation] of [
      ['who may create roles', 'createrole', asItsCreator],
      ['to whom the tenant role was granted', '', (user: string) => `grant ${tenantRole} to ${user}`],
    ] as const) {
      it(`${situation}, makes a database that can be worked in`, async () => {
        // The tenant role is there from here on, as it is on a server with another database of this product.
        await using earlier = await createEmptyDatabase();
        await (await open(earlier.url)).close();
        await using user = await createServerUser(attributes);
        await onServer(required(testDatabaseUrl), preparation(user.name));
        await using own = await createEmptyDatabase(user.name);
        await using database = closing(await open(user.urlOf(own.url)));
        expect((await work(database)).facts.organization.name).to.equal('New organization');
      });
    }
  });
});
