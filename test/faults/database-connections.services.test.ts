import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Client } from 'pg';
import { openOrm } from '../../server/database/orm.ts';
import { isOutOfConnections, unavailableReason } from '../../server/database/serving/outage.ts';
import { createLogger } from '../../server/http/logger.ts';
import { refusal } from '../server/database/scenes.ts';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectStoredOnce, type FinishedTurn, finishedTurn } from './finished-turns.ts';

const turns = 25;
const maxConnections = 20;

describe('While PostgreSQL has no free connection', function () {
  this.timeout(60_000);
  const app = perSuite(() => createAppOnOwnPostgres({ settings: { max_connections: `${maxConnections}` } }));
  const avery = perSuite(() => app.person());

  /** Terminates the application's connections and opens as many as the server allows. */
  async function takeAllConnections() {
    const clients: Client[] = [];
    // Repeats until the count is reached, because a terminated server process leaves pg_stat_activity before it frees its slot.
    while (clients.length < maxConnections) {
      const client = new Client({ connectionString: app.postgres.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        clients.push(client);
      } catch (error) {
        if (!isOutOfConnections(error)) throw error;
        const own = await Promise.all(clients.map((each) => each.query('select pg_backend_pid() as pid')));
        await clients[0]?.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where backend_type = 'client backend' and pid <> all ($1)`,
          [own.map(({ rows }) => rows[0].pid)],
        );
      }
    }
    return { release: () => Promise.all(clients.map((client) => client.end())) };
  }

  it('turns wait, each is answered and stored once connections are free, and the log names the cause', async () => {
    const { release } = await takeAllConnections();
    const pending: Promise<FinishedTurn>[] = Array.from({ length: turns }, (_, index) =>
      finishedTurn(app.live(avery, question(`Question ${index}?`)), `Question ${index}?`),
    );
    try {
      await eventually(() => (app.storage.database.outage.connectionsRefused >= turns ? true : undefined));
      const logger = createLogger({ level: 'silent' });
      await using orm = await openOrm({ kind: 'postgresql', url: app.postgres.url }, logger);
      expect(unavailableReason(await refusal(orm.em.fork().execute('select 1')))).to.equal(
        'no free connection (53300)',
      );
      expect(app.provider.requests).to.have.length(0);
    } finally {
      await release();
    }
    const answered = await Promise.all(pending);
    expect(answered.map(({ status, text }) => [status, text])).to.deep.equal(
      answered.map(() => [200, defaultReply.text]),
    );
    expectStoredOnce(answered, await app.messages());
    expect(app.databaseLines.map(({ msg }) => msg)).to.include(
      'database has no free connection; turns wait up to 10 s',
    );
  });
});
