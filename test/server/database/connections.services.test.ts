import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { openOrm } from '../../../server/database/orm.ts';
import { eventually } from '../../support/eventually.ts';
import { signIn } from '../../support/people.ts';
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
