import type { ServerResponse } from 'node:http';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { Client } from 'pg';
import { openOrm } from '../../server/database/orm.ts';
import { isOutOfConnections, unavailableReason } from '../../server/database/serving/outage.ts';
import { createLogger } from '../../server/http/logger.ts';
import { refusal } from '../server/database/scenes.ts';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { type AppOnOwnPostgres, createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectStoredOnce, type FinishedTurn, internalErrorBody } from './finished-turns.ts';

type Person = Awaited<ReturnType<AppOnOwnPostgres['person']>>;

const maxConnections = 20;
const unavailableMessage = 'database unavailable; turns wait up to 10 s';

describe('While PostgreSQL', () => {
  let people: Person[];
  const inProgress = new Set<ServerResponse>();

  const app = perSuite(() =>
    createAppOnOwnPostgres({
      settings: { max_connections: `${maxConnections}` },
      tokensPerDay: { user: 1_000_000, organization: 1_000_000 },
    }),
  );
  const avery = perSuite(() => app.person());
  before(async () => {
    app.server.on('request', (_request, response) => {
      inProgress.add(response);
      response.once('close', () => inProgress.delete(response));
    });
    const blake = await app.person({ who: 'blake@example.com' });
    people = [avery, blake, await app.person({ provider: 'github', who: 'casey-example' })];
  });
  beforeEach(async () => {
    app.provider.reset();
    await app.operator.fork().execute('delete from conversations');
    await app.operator.fork().execute('delete from token_uses');
  });

  const askAll = (count: number) =>
    Array.from({ length: count }, (_, index) => app.ask(people[index % people.length] ?? avery, `Question ${index}?`));
  const countLogged = (message: string) => app.databaseLines.filter(({ msg }) => msg === message).length;
  const untilReconnected = () =>
    eventually(async () => ((await avery.browser.request('/auth/session')).status === 200 ? true : undefined));
  const reservations = async () => {
    const rows = await app.rows<{ settled: boolean }>('select settled from token_uses');
    return rows.map(({ settled }) => settled);
  };

  async function expectAllAnswered(turns: readonly FinishedTurn[]) {
    expect(turns.map(({ status, text }) => [status, text])).to.deep.equal(turns.map(() => [200, defaultReply.text]));
    expectStoredOnce(turns, await app.messages());
    expect(await reservations()).to.deep.equal(turns.map(() => true));
  }

  describe('is unavailable', () => {
    /** Resolves once the outage has been logged and `count` requests are in progress. */
    const untilWaiting = (count: number) =>
      eventually(() =>
        app.databaseLines.at(-1)?.msg === unavailableMessage && inProgress.size === count ? true : undefined,
      );

    it('turns wait, and each turn is answered and stored exactly once after the recovery', async () => {
      await app.postgres.stop();
      const turns = askAll(6);
      await untilWaiting(6);
      expect(app.provider.requests).to.have.length(0);
      await app.postgres.start();
      await expectAllAnswered(await Promise.all(turns));
    });

    for (const [how, end] of [
      ['restarts', () => app.postgres.stop()],
      ['crashes and recovers', () => app.postgres.crash()],
    ] as const) {
      it(`no turn fails, and each turn is stored exactly once, if PostgreSQL ${how} three times`, async () => {
        app.provider.answerWith(() => ({ steps: [{ text: 'One ' }, { wait: 5 }, { text: 'and two.' }] }));
        const turns: FinishedTurn[] = [];
        let stopped = false;
        const chats = people.map(async (person) => {
          while (!stopped) turns.push(await app.ask(person, `Question ${turns.length}?`));
        });
        const untilMoreTurns = (count: number) => {
          const total = turns.length + count;
          return eventually(() => (turns.length >= total ? true : undefined));
        };
        for (let round = 0; round < 3; round += 1) {
          await untilMoreTurns(6);
          const before = countLogged(unavailableMessage);
          await end();
          await eventually(() => (countLogged(unavailableMessage) > before ? true : undefined));
          await app.postgres.start();
        }
        await untilMoreTurns(6);
        stopped = true;
        await Promise.all(chats);
        await app.untilNoneIsLate();
        expect(turns.filter(({ status }) => status !== 200)).to.deep.equal([]);
        expectStoredOnce(turns, await app.messages());
        expect((await reservations()).filter((isSettled) => !isSettled)).to.deep.equal([]);
      });
    }

    it('a waiting turn fails with 500 after ten seconds of outage, and later turns fail immediately', async () => {
      await app.postgres.stop();
      const early = app.ask(avery);
      await untilWaiting(1);
      app.clock.advance(10_000);
      expect(await early).to.include({ status: 500, text: internalErrorBody });
      // The database is still down and the clock stands still, so this turn cannot have waited.
      expect(await app.ask(avery)).to.include({ status: 500, text: internalErrorBody });
      expect(app.provider.requests).to.have.length(0);
      expect(app.streams.inFlight).to.equal(0);

      await app.postgres.start();
      await untilReconnected();
      await expectAllAnswered([await app.ask(avery)]);
    });

    it('demo chat works, the session route fails immediately, and the instance stays ready', async () => {
      await app.postgres.stop();
      expect(await (await app.demo(question())).text()).to.equal(defaultReply.text);
      const session = await avery.browser.request('/auth/session');
      expect([session.status, await session.text()]).to.deep.equal([500, internalErrorBody]);
      // Otherwise a load balancer would remove the instance, and demo chat would be down too.
      expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
      await app.postgres.start();
      await untilReconnected();
    });

    it('a reply in flight when PostgreSQL crashes is streamed completely, and stored after the restart', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'Before, ' }, { wait: promise }, { text: 'after.' }] });
      const outcome = app.ask(avery);
      await app.provider.request(1);
      await app.postgres.crash();
      resolve();
      expect((await outcome).text).to.equal('Before, after.');
      await app.postgres.start();
      await app.untilNoneIsLate();
      expectStoredOnce([await outcome], await app.messages());
    });
  });

  describe('kills the connection of a turn during its transaction', () => {
    /** Blocks every transaction that writes a message until `meanwhile` has resolved. */
    const whileWritesAreBlocked = (meanwhile: () => Promise<void>) =>
      app.operator.fork().transactional(async (em) => {
        await em.execute('lock table chat_messages in exclusive mode');
        await meanwhile();
      });

    /** Kills a connection whose transaction is blocked, as soon as there is one. */
    const killBlocked = () =>
      eventually(async () => {
        const [killed] = await app.postgres.query(
          `select to_json(pg_terminate_backend(pid)) from pg_stat_activity where wait_event_type = 'Lock' limit 1`,
        );
        return killed;
      });

    it('the question is still stored exactly once and answered', async () => {
      const turns: Promise<FinishedTurn>[] = [];
      await whileWritesAreBlocked(async () => {
        turns.push(app.ask(avery));
        await killBlocked();
        expect(app.provider.requests).to.have.length(0);
      });
      await expectAllAnswered(await Promise.all(turns));
      expect(app.provider.requests).to.have.length(1);
    });

    it('the reply is streamed completely and stored exactly once', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
      const outcome = app.ask(avery);
      await app.provider.request(1);
      await whileWritesAreBlocked(async () => {
        resolve();
        await killBlocked();
        await killBlocked();
        expect((await outcome).text).to.equal('Half, whole.');
      });
      await app.untilNoneIsLate();
      expect(app.lines.map(({ msg }) => msg)).to.include('late write succeeded');
      expectStoredOnce([await outcome], await app.messages());
    });
  });

  describe('has no free connection', () => {
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
      const { outage } = app.storage.database;
      const refusals = outage.connectionsRefused + 25;
      const turns = askAll(25);
      try {
        await eventually(() => (outage.connectionsRefused >= refusals ? true : undefined));
        const logger = createLogger({ level: 'silent' });
        await using orm = await openOrm({ kind: 'postgresql', url: app.postgres.url }, logger);
        expect(unavailableReason(await refusal(orm.em.fork().execute('select 1')))).to.equal(
          'no free connection (53300)',
        );
        expect(app.provider.requests).to.have.length(0);
      } finally {
        await release();
      }
      await expectAllAnswered(await Promise.all(turns));
      expect(countLogged('database has no free connection; turns wait up to 10 s')).to.be.above(0);
    });
  });

  it('has a locked table, the database counts as available even if waiting turns use all connections', async () => {
    const { database } = app.storage;
    const waiting: Promise<unknown>[] = [];
    const later: Promise<unknown>[] = [];
    await app.operator.fork().transactional(async (em) => {
      await em.execute('lock table chat_messages in access exclusive mode');
      waiting.push(...askAll(12));
      await eventually(() => database.pool.waiting > 0 || undefined);
      expect(await database.ping()).to.deep.equal({});
      // Once the server has not responded for eleven seconds, only a response counts.
      const now = performance.now();
      const clock = install({ toFake: ['performance'] });
      clock.tick(now + 11_001);
      later.push(database.ping());
      clock.uninstall();
    });
    expect(await later[0]).to.have.property('clockAheadSeconds');
    await Promise.all(waiting);
    expect(await database.ping()).to.have.property('clockAheadSeconds');
  });
});
