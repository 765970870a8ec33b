import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type AppOnServer, createAppOnServer } from '../support/app-on-server.ts';
import { eventually } from '../support/eventually.ts';
import { startPgBouncer } from '../support/pgbouncer-process.ts';
import { type PostgresPair, startPostgresPair } from '../support/postgres-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { question } from '../support/test-app.ts';
import { expectStoredOnce, type FinishedTurn, finishedTurn, type StoredMessage } from './finished-turns.ts';

type Person = Awaited<ReturnType<AppOnServer['person']>>;

/** How the application connects to the current primary. `follow` is the operator's step after a failover. */
const connections = {
  'with both servers in DATABASE_URL': async (pair: PostgresPair) => ({
    url: pair.url('target_session_attrs=read-write'),
    follow: async () => {},
    stop: async () => {},
  }),
  'through a PgBouncer that is repointed': async (pair: PostgresPair, directory: string) => {
    // By default, PgBouncer waits 15 seconds before it retries a failed server.
    const pooler = await startPgBouncer(directory, pair.primary, { settings: { server_login_retry: '1' } });
    return { url: pooler.url, follow: () => pooler.repoint(pair.standby), stop: pooler.stop };
  },
};

for (const [how, connect] of Object.entries(connections)) {
  describe(`During a failover to the standby, ${how}`, () => {
    let opened: AsyncDisposableStack;
    let pair: PostgresPair;
    let app: AppOnServer;
    let follow: () => Promise<void>;

    beforeEach(async () => {
      opened = new AsyncDisposableStack();
      const directory = await temporaryDirectory();
      opened.defer(directory.remove);
      pair = await startPostgresPair(directory.path);
      opened.defer(pair.stop);
      const connection = await connect(pair, directory.path);
      opened.defer(connection.stop);
      follow = connection.follow;
      app = await createAppOnServer(connection.url);
      opened.defer(app.close);
    });
    afterEach(() => opened.disposeAsync());

    const messages = () =>
      pair.standby.query<StoredMessage>(
        'select to_json(found) from (select * from chat_messages order by position) found',
      );
    const untilNoneIsLate = () => eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));

    it('new turns wait, a reply in flight is streamed completely, and no turn fails, is lost or is stored twice', async () => {
      const people = await Promise.all(['avery@example.com', 'blake@example.com'].map((who) => app.person({ who })));
      const casey = await app.person({ provider: 'github', who: 'casey-example' });
      const { promise: crashed, resolve } = Promise.withResolvers<void>();
      app.provider.answerWith(({ body }) => {
        const wait = JSON.stringify(body.messages).includes('Before?') ? crashed : 5;
        return { steps: [{ text: 'One ' }, { wait }, { text: 'and two.' }] };
      });
      const inFlight = finishedTurn(app.live(casey, question('Before?')), 'Before?');
      await app.provider.request(1);
      const turns: FinishedTurn[] = [];
      let stopped = false;
      const chat = async (person: Person) => {
        while (!stopped) {
          const content = `Question ${turns.length}?`;
          turns.push(await finishedTurn(app.live(person, question(content)), content));
        }
      };
      const answered = () => turns.filter(({ status }) => status === 200).length;
      const untilAnswered = (count: number) => eventually(() => (answered() >= count ? true : undefined));

      const chats = people.map(chat);
      await untilAnswered(8);
      await pair.failOver(async () => resolve());
      await follow();
      await untilAnswered(answered() + 8);
      stopped = true;
      await Promise.all(chats);
      turns.push(await inFlight);
      await untilNoneIsLate();
      expect(turns.filter(({ status, text }) => status !== 200 || text !== 'One and two.')).to.deep.equal([]);
      expectStoredOnce(turns, await messages());
    });
  });
}
