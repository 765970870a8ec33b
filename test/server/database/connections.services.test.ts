import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { type EntityManager, openOrm } from '../../../server/database/orm.ts';
import { eventually } from '../../support/eventually.ts';
import { signIn } from '../../support/people.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { createEmptyDatabase } from './empty-database.ts';
import { refusal } from './scenes.ts';

const silent = pino({ level: 'silent' });
const avery = { provider: 'google', subject: '1', name: 'Avery', email: null };

describe('connections to a PostgreSQL server', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;
  let operator: Awaited<ReturnType<typeof openOrm>>;

  before(async () => {
    empty = await createEmptyDatabase();
    database = await openDatabase({ kind: 'postgresql', url: empty.url }, silent);
    operator = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
  });
  after(async () => {
    await database.close();
    await operator.close(true);
    await empty.drop();
  });

  const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

  /** Ends every other connection, and lets this process hear of it. */
  async function killAll() {
    const em = operator.em.fork();
    await em.execute(`select pg_terminate_backend(pid) ${others}`);
    await eventually(async () => {
      const [row] = await em.execute(`select count(*)::int ${others}`);
      return row?.count === 0 ? true : undefined;
    });
    await setImmediate();
  }
  const atOnce = (calls: number) =>
    Promise.all(Array.from({ length: calls }, async () => (await signIn(database, avery)).name));

  it('are replaced when the server drops them: the next calls work', async () => {
    expect(await atOnce(20)).to.deep.equal(Array(20).fill('Avery'));
    await killAll();
    expect(await atOnce(20)).to.deep.equal(Array(20).fill('Avery'));
    const sessions = database.sessionStore;
    await killAll();
    expect(await new Promise((resolve) => sessions.get('unknown', resolve))).to.equal(null);
  });

  it('that are dropped in the middle of a transaction fail that call alone, and it leaves nothing behind', async () => {
    const { id: userId, organization } = await signIn(database, avery);
    const question = { userId, orgId: organization.id, conversationId: undefined, requestId: 'request 1' };
    await operator.em.fork().transactional(async (em) => {
      await em.execute('lock table chat_messages in exclusive mode');
      const failing = refusal(database.turns.open({ ...question, content: 'Never stored' }));
      await eventually(async () => {
        const waiting = `${others} and wait_event_type = 'Lock'`;
        const [killed] = await operator.em.fork().execute(`select pg_terminate_backend(pid) ${waiting}`);
        return killed;
      });
      await failing;
    });
    await database.turns.open({ ...question, content: 'Stored' });
    const stored = await operator.em.fork().execute('select content from chat_messages');
    expect(stored).to.deep.equal([{ content: 'Stored' }]);
    expect(await operator.em.fork().execute('select count(*)::int from conversations')).to.deep.equal([{ count: 1 }]);
  });
});

const moreThanThePoolHas = 12;

describe('lost connections', () => {
  let storage: TestDatabase;

  before(async () => {
    required(testDatabaseUrl);
    storage = await createTestDatabase();
  });
  after(() => storage.close());

  /** Does the same in as many transactions, one after the other, each of which has to end by an error. */
  async function failInTransactions(work: (em: EntityManager) => Promise<unknown>, error: RegExp): Promise<void> {
    for (let count = 0; count < moreThanThePoolHas; count += 1) {
      await storage.orm.em
        .fork()
        .transactional(work)
        .then(
          () => expect.fail('The server was to cut this off.'),
          ({ message }: Error) => expect(message).to.match(error),
        );
    }
  }

  const alive = () => storage.rows('select 1 as alive');

  it('come back to the pool, however many transactions the server has cut off', async () => {
    await failInTransactions((em) => em.execute('select pg_terminate_backend(pg_backend_pid())'), /terminat/);
    expect(await alive()).to.deep.equal([{ alive: 1 }]);
  });

  it('come back to the pool where it is the commit that the server has cut off', async () => {
    const cutOffAtCommit = async (em: EntityManager) => {
      await em.execute('create temporary table cut_off (id int) on commit drop');
      await em.execute(`create function pg_temp.cut_off() returns trigger language plpgsql
        as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
      await em.execute(`create constraint trigger cut_off after insert on cut_off deferrable initially deferred
        for each row execute function pg_temp.cut_off()`);
      await em.execute('insert into cut_off values (1)');
    };
    await failInTransactions(cutOffAtCommit, /terminat/);
    expect(await alive()).to.deep.equal([{ alive: 1 }]);
  });
});
