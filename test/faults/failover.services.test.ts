import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type AppOnServer, createAppOnServer } from '../support/app-on-server.ts';
import { eventually } from '../support/eventually.ts';
import { startPgBouncer } from '../support/pgbouncer-process.ts';
import { type PostgresPair, startPostgresPair } from '../support/postgres-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { question } from '../support/test-app.ts';
import type { StoredMessage } from './app-on-own-postgres.ts';
import { expectAccountedFor, type Told, toldBy } from './told.ts';

type Person = Awaited<ReturnType<AppOnServer['person']>>;

/** The ways of the application to whichever of the two servers is the primary; `follow` is what the operator does then. */
const ways = {
  'with both servers in its address': async (pair: PostgresPair) => ({
    url: pair.url('target_session_attrs=read-write'),
    follow: async () => {},
    stop: async () => {},
  }),
  'through PgBouncer, which is pointed at the other server': async (pair: PostgresPair, directory: string) => {
    // By itself it asks a server that was away again after 15 seconds.
    const pooler = await startPgBouncer(directory, pair.primary, { settings: { server_login_retry: '1' } });
    return { url: pooler.url, follow: () => pooler.repoint(pair.standby), stop: pooler.stop };
  },
};

for (const [way, open] of Object.entries(ways)) {
  describe(`when the primary fails and its standby takes over, ${way}`, function () {
    this.timeout(120_000);
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
      const reached = await open(pair, directory.path);
      opened.defer(reached.stop);
      follow = reached.follow;
      app = await createAppOnServer(reached.url);
      opened.defer(app.close);
    });
    afterEach(() => opened.disposeAsync());

    /** What the new primary has. */
    const messages = () =>
      pair.standby.query<StoredMessage>(
        'select to_json(found) from (select * from chat_messages order by position) found',
      );
    const nothingLate = () => eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));

    it('a reply that is being streamed does not notice, and is stored once', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'Before, ' }, { wait: promise }, { text: 'after.' }] });
      const avery = await app.person();
      const told = toldBy(app.live(avery, question()), 'Where do we start?');
      await eventually(() => app.provider.requests[0]);
      await pair.failOver(async () => resolve());
      await follow();
      expect((await told).text).to.equal('Before, after.');
      await nothingLate();
      expectAccountedFor([await told], await messages());
    });

    it('people who chat meanwhile wait for it, and not one turn fails, is lost or stored twice', async () => {
      const people = await Promise.all(['avery@example.com', 'blake@example.com'].map((who) => app.person({ who })));
      app.provider.answerWith(() => ({ steps: [{ text: 'One ' }, { wait: 5 }, { text: 'and two.' }] }));
      const turns: Told[] = [];
      let over = false;
      const chat = async (person: Person) => {
        while (!over) {
          const content = `Question ${turns.length}?`;
          turns.push(await toldBy(app.live(person, question(content)), content));
        }
      };
      const answered = () => turns.filter(({ status }) => status === 200).length;
      const upTo = (enough: number) => eventually(() => (answered() >= enough ? true : undefined));

      const chats = people.map(chat);
      await upTo(8);
      await pair.failOver();
      await follow();
      await upTo(answered() + 8);
      over = true;
      await Promise.all(chats);
      await nothingLate();
      expect(turns.filter(({ status }) => status !== 200)).to.deep.equal([]);
      expectAccountedFor(turns, await messages());
    });
  });
}
