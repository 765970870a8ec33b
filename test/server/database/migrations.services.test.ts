import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { migrate } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations.ts';
import { openOrm } from '../../../server/database/orm.ts';
import { createLogger } from '../../../server/http/process/logger.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { signIn } from '../../support/people.ts';
import { createEmptyDatabase } from './empty-database.ts';
import { migrateUpTo } from './old-schema.ts';

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
    expect(await orm.em.fork().execute('select name from schema_migrations')).to.deep.equal(
      migrations.migrationsList.map(({ name }) => ({ name })),
    );
  });

  it('waits while another instance migrates', async () => {
    await using empty = await createEmptyDatabase();
    await using other = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
    const waits: unknown[] = [];
    const logger = createLogger({ level: 'info' }, { write: (line) => void waits.push(JSON.parse(line).msg) });
    let opening: Promise<Database> | undefined;
    await other.em.fork().transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(5212081)');
      opening = openDatabase({ kind: 'postgresql', url: empty.url }, logger);
      await eventually(() => waits[0]);
      expect(await em.execute(`select to_regclass('users') as found`)).to.deep.equal([{ found: null }]);
      const statements = await em.execute(
        `select query from pg_stat_activity
          where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      expect(statements, 'none that waits, for which an index would wait').to.deep.equal([]);
    });
    expect(waits).to.deep.equal(['another instance migrates: this one waits for it']);
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

  describe('while somebody reads a table for long', () => {
    async function openTwo(url: string) {
      const [one, other] = [
        await openOrm({ kind: 'postgresql', url }, silent),
        await openOrm({ kind: 'postgresql', url }, silent),
      ];
      return {
        one,
        other,
        async [Symbol.asyncDispose]() {
          await one.close(true);
          await other.close(true);
        },
      };
    }

    it('lets requests through between its attempts, and is done when the reader is', async () => {
      await using empty = await createEmptyDatabase();
      // The next one but one alters users.
      await migrateUpTo(empty.url, '2026-11-21-turns');
      const attempts: number[] = [];
      const logger = createLogger(
        { level: 'warn' },
        { write: (line) => void attempts.push(JSON.parse(line).attempts) },
      );
      await using opened = await openTwo(empty.url);
      const { one, other } = opened;
      const requests: number[] = [];
      let migrating: Promise<string[]> | undefined;
      await other.em.fork().transactional(async (em) => {
        await em.execute('select from users');
        migrating = migrate(one, { shared: true, logger, pauseMilliseconds: 100 });
        while (attempts.length < 2) {
          const begunAt = performance.now();
          await other.em.fork().execute('select from users');
          requests.push(performance.now() - begunAt);
        }
        const done = await em.execute('select name from schema_migrations order by id');
        expect(done.at(-1), 'an earlier one is committed').to.deep.equal({ name: '2026-11-21-sessions' });
      });
      expect(await migrating).to.include('2026-11-22-people');
      expect(Math.max(...requests)).to.be.lessThan(4_000);
      expect(attempts.slice(0, 2)).to.deep.equal([1, 2]);
    });

    it('one of several instances makes the attempts, and all are up to date in the end', async () => {
      await using empty = await createEmptyDatabase();
      await migrateUpTo(empty.url, '2026-11-21-turns');
      const attempts: string[] = [];
      const loggerOf = (name: string) => createLogger({ level: 'warn' }, { write: () => void attempts.push(name) });
      await using opened = await openTwo(empty.url);
      await using reader = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
      let migrating: Promise<string[][]> | undefined;
      await reader.em.fork().transactional(async (em) => {
        await em.execute('select from users');
        const instances = [
          ['one', opened.one],
          ['other', opened.other],
        ] as const;
        migrating = Promise.all(
          instances.map(([name, orm]) => migrate(orm, { shared: true, logger: loggerOf(name), pauseMilliseconds: 10 })),
        );
        await eventually(() => (attempts.length >= 2 ? true : undefined));
      });
      const lengths = (await migrating)?.map(({ length }) => length);
      expect(lengths?.toSorted()).to.deep.equal([0, migrations.migrationsList.length - 2]);
      expect(new Set(attempts).size).to.equal(1);
    });
  });
});
