import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/core';
import { PgliteDriver } from '@mikro-orm/pglite';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createDatabase } from '../../../server/database/database.ts';
import { migrate } from '../../../server/database/migrate.ts';
import { migrations as listed } from '../../../server/database/migrations.ts';
import { ormOptions } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { closing } from '../../support/closing.ts';
import { loadEmptyArchive } from '../../support/migrated-cluster.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { ask, newcomer } from './scenes.ts';

const { migrationsList } = listed;
const silent = pino({ level: 'silent' });

describe('migrate', () => {
  it('has no effect the second time', async () => {
    await using storage = await createTestDatabase();
    const { orm, rows } = storage;
    const migrations = await rows('select * from schema_migrations');
    expect(migrations.map(({ name }) => name)).to.deep.equal(migrationsList.map(({ name }) => name));
    await migrate(orm, { shared: false });
    expect(await rows('select * from schema_migrations')).to.deep.equal(migrations);
  });

  describe('as a login that is not a superuser', () => {
    /** Creates an empty database, runs `preparation` as a superuser, and connects as `app`. */
    async function openAsApp(preparation: string) {
      const pglite = await PGlite.create({ loadDataDir: await loadEmptyArchive() });
      await pglite.exec(
        `${preparation}; grant create on schema public to app; grant create on database postgres to app`,
      );
      await pglite.exec('set session authorization app');
      const orm = await MikroORM.init({
        ...ormOptions(silent),
        driver: PgliteDriver,
        dbName: 'memory://',
        driverOptions: { pglite },
      });
      return closing({
        orm,
        async close() {
          await orm.close(true);
          await pglite.close();
        },
      });
    }

    for (const [situation, preparation] of Object.entries({
      'with CREATEROLE': 'create role app login createrole',
      'with CREATEROLE that has already created the tenant role': `create role app login createrole;
        set role app; create role ${tenantRole}; reset role`,
    })) {
      it(`${situation}, creates a usable database`, async () => {
        await using opening = await openAsApp(preparation);
        await migrate(opening.orm, { shared: false });
        const database = await createDatabase(opening.orm, silent);
        await using _closing = closing(database);
        const opened = await ask({ database }, await newcomer({ database }, 'Avery'));
        expect(opened.facts.user.name).to.equal('Avery');
      });
    }
  });
});
