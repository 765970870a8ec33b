import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/core';
import { PgliteDriver } from '@mikro-orm/pglite';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createRepositories } from '../../../../server/database/database.ts';
import { type Orm, ormOptions } from '../../../../server/database/orm.ts';
import { migrations as list } from '../../../../server/database/schema/migrations.ts';
import { migrate } from '../../../../server/database/schema/run-migrations.ts';
import { tenantRole } from '../../../../server/database/tenant.ts';
import { closing } from '../../../support/closing.ts';
import { loadEmptyArchive, loadMigratedCluster } from '../../../support/migrated-cluster.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { ask, newcomer, refusal } from '../scenes.ts';
import { laterMigrations, listOfLaterRelease } from './later-release.ts';

const silent = pino({ level: 'silent' });

function openEmbedded(pglite: PGlite): Promise<Orm> {
  // Passed as a function, because the ORM would copy an object.
  const driverOptions = { pglite: () => pglite };
  return MikroORM.init({ ...ormOptions(silent), driver: PgliteDriver, dbName: 'memory://', driverOptions });
}

describe('migrate', () => {
  it('has no effect the second time', async () => {
    await using storage = await createTestDatabase();
    const { orm, rows } = storage;
    const migrations = await rows('select * from schema_migrations');
    expect(migrations.map(({ name }) => name)).to.deep.equal(list.map(({ name }) => name));
    await migrate(orm, { isShared: false });
    expect(await rows('select * from schema_migrations')).to.deep.equal(migrations);
  });

  it('runs the migrations of a later release on an embedded database with rows', async () => {
    const pglite = await PGlite.create({ loadDataDir: (await loadMigratedCluster()).archive });
    await using orm = await openEmbedded(pglite);
    const database = await createRepositories(orm, silent);
    const scope = await newcomer({ database }, 'Avery');
    const { conversationId } = await ask({ database }, scope);
    expect(await migrate(orm, { isShared: false, migrationList: listOfLaterRelease })).to.deep.equal(laterMigrations);
    expect((await pglite.query('select id, later from conversations')).rows).to.deep.equal([
      { id: conversationId, later: 'ACTIVE' },
    ]);
    expect((await ask({ database }, scope)).facts.user.name).to.equal('Avery');
    await database.close();
    await pglite.close();
  });

  it('refuses a database whose first migration is a different one, and does not change it', async () => {
    const pglite = await PGlite.create({ loadDataDir: await loadEmptyArchive() });
    await pglite.exec(`create table schema_migrations (id serial primary key, name text, executed_at timestamptz);
      insert into schema_migrations (name) values ('2026-01-01-other'), ('${list[0]?.name}')`);
    const orm = await openEmbedded(pglite);
    const relations = () => pglite.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`);
    const before = await relations();
    expect((await refusal(migrate(orm, { isShared: false }))).message).to.equal(
      'The first migration of this database is 2026-01-01-other instead of 2026-11-28-initial; use an empty database, or one that was created by release 1.0.0 or later.',
    );
    expect((await relations()).rows).to.deep.equal(before.rows);
    await orm.close(true);
    await pglite.close();
  });

  describe('as a login that is not a superuser', () => {
    /** Creates an empty database, runs `preparation` as a superuser, and connects as `app`. */
    async function openAsApp(preparation: string) {
      const pglite = await PGlite.create({ loadDataDir: await loadEmptyArchive() });
      await pglite.exec(
        `${preparation}; grant create on schema public to app; grant create on database postgres to app`,
      );
      await pglite.exec('set session authorization app');
      const orm = await openEmbedded(pglite);
      return closing({
        orm,
        async close() {
          await orm.close(true);
          await pglite.close();
        },
      });
    }

    for (const [situation, preparation] of Object.entries({
      'has CREATEROLE': 'create role app login createrole',
      'has CREATEROLE and has already created the tenant role': `create role app login createrole;
        set role app; create role ${tenantRole}; reset role`,
    })) {
      it(`creates a usable database if the login ${situation}`, async () => {
        await using opening = await openAsApp(preparation);
        await migrate(opening.orm, { isShared: false });
        const database = await createRepositories(opening.orm, silent);
        await using _closing = closing(database);
        const opened = await ask({ database }, await newcomer({ database }, 'Avery'));
        expect(opened.facts.user.name).to.equal('Avery');
      });
    }
  });
});
