import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../../../server/database/database.ts';
import { noTimeLimit, openOrm } from '../../../../server/database/orm.ts';
import { migrate } from '../../../../server/database/schema/run-migrations.ts';
import { createLogger } from '../../../../server/http/logger.ts';
import { eventually } from '../../../support/eventually.ts';
import { ask, newcomer } from '../scenes.ts';
import { createEmptyDatabase, createOwnedDatabase } from './empty-database.ts';
import { laterMigrations, listOfLaterRelease } from './later-release.ts';

const silent = pino({ level: 'silent' });
const open = (url: string) => openDatabase({ kind: 'postgresql', url }, silent);

describe('openDatabase, on a PostgreSQL server', () => {
  it('waits while another instance is migrating', async () => {
    await using empty = await createEmptyDatabase();
    await using other = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
    const waits: unknown[] = [];
    const logger = createLogger({ level: 'info' }, { write: (line) => void waits.push(JSON.parse(line).msg) });
    let opening: Promise<Database> | undefined;
    await using opened = new AsyncDisposableStack();
    // An open database would keep the process alive after a failed assertion.
    opened.defer(async () => (await opening)?.close());
    await other.em.fork().transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(5212081)');
      opening = openDatabase({ kind: 'postgresql', url: empty.url }, logger);
      await eventually(() => waits[0]);
      expect(await em.execute(`select to_regclass('users') as found`)).to.deep.equal([{ found: null }]);
      const statements = await em.execute(
        `select query from pg_stat_activity
          where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      expect(statements, 'no statement waits for the lock: a concurrent index build would wait for it').to.deep.equal(
        [],
      );
    });
    expect(waits).to.deep.equal(['waiting for another instance to finish its migration']);
    await (await opening)?.ping();
  });

  it('migrates two databases of one server concurrently, even though they share the tenant role', async () => {
    await using one = await createEmptyDatabase();
    await using another = await createEmptyDatabase();
    await using opened = new AsyncDisposableStack();
    const databases = await Promise.all(
      [one, another].map(async ({ url }) => opened.adopt(await open(url), (database) => database.close())),
    );
    for (const database of databases) {
      const { facts } = await ask({ database }, await newcomer({ database }, 'Avery'));
      expect(facts.organization.name).to.equal('Avery’s organization');
    }
  });
});

/** Creates a database with the schema of this release, opened as this release and as a later one that has not migrated yet. */
async function createDatabaseToUpdate() {
  await using opened = new AsyncDisposableStack();
  const { url, superuserUrl } = opened.use(await createOwnedDatabase());
  await (await open(url)).close();
  const migrating = opened.use(await openOrm({ kind: 'postgresql', url }, silent, noTimeLimit));
  const others = opened.use(await openOrm({ kind: 'postgresql', url: superuserUrl }, silent, noTimeLimit));
  const parts = opened.move();
  return { migrating, others, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

describe('the migrations of a later release', () => {
  it('let requests through between their attempts while a long query locks a table, and complete afterwards', async () => {
    await using database = await createDatabaseToUpdate();
    const attempts: number[] = [];
    const logger = createLogger({ level: 'warn' }, { write: (line) => void attempts.push(JSON.parse(line).attempts) });
    const requests: number[] = [];
    let migration: Promise<string[]> | undefined;
    await database.others.em.fork().transactional(async (em) => {
      await em.execute('select from users');
      migration = migrate(database.migrating, {
        isShared: true,
        migrationList: listOfLaterRelease,
        logger,
        pauseMilliseconds: 100,
      });
      while (attempts.length < 2) {
        const begunAt = performance.now();
        await database.others.em.fork().execute('select from users');
        requests.push(performance.now() - begunAt);
      }
    });
    expect(await migration).to.deep.equal(laterMigrations);
    expect(Math.max(...requests)).to.be.lessThan(4_000);
    expect(attempts.slice(0, 2)).to.deep.equal([1, 2]);
  });
});
