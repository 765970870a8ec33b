import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { type AppOnOwnPostgres, createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectAccountedFor, internal, type Told, toldBy } from './told.ts';

type Person = Awaited<ReturnType<AppOnOwnPostgres['person']>>;

const asked = 'Where do we start?';
const away = 'database unavailable; turns wait up to 10 s';
const overloaded = /^UPSTREAM_OVERLOADED: /;

for (const [situation, tokensPerDay] of [
  ['has just gone', undefined],
  ['has just gone, and there are budgets', { user: 1_000_000, organization: 1_000_000 }],
] as const) {
  describe(`while PostgreSQL ${situation}`, function () {
    this.timeout(180_000);
    let people: Person[];
    const inProgress = new Set<ServerResponse>();

    const app = ofSuite(() =>
      createAppOnOwnPostgres({ app: { maxStreams: 8, ...(tokensPerDay && { tokensPerDay }) } }),
    );
    const avery = ofSuite(() => app.person());
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

    const ask = (person: Person, content = asked) => toldBy(app.live(person, question(content)), content);
    /** Waits until the outage is known and `count` requests are in progress. */
    const waiting = (count: number) =>
      eventually(() => (app.databaseLines.at(-1)?.msg === away && inProgress.size === count ? true : undefined));
    const logged = (message: string) => app.databaseLines.filter(({ msg }) => msg === message).length;
    /** The process has learnt that the database is back. */
    const back = () =>
      eventually(async () => ((await avery.browser.request('/auth/session')).status === 200 ? true : undefined));
    const reservations = async () => {
      const rows = await app.storage.rows<{ settled: boolean }>('select settled from token_uses');
      return rows.map(({ settled }) => settled);
    };

    it('turns wait for it, and each is answered and stored once when it is available again', async () => {
      await app.postgres.stop();
      const turns = [...people, ...people].map((person, index) => ask(person, `Question ${index}?`));
      await waiting(6);
      expect(app.provider.requests).to.have.length(0);
      await app.postgres.start();
      const told = await Promise.all(turns);
      expect(told.map(({ status, text }) => [status, text])).to.deep.equal(told.map(() => [200, defaultReply.text]));
      expectAccountedFor(told, await app.messages());
      expect(await reservations()).to.deep.equal(tokensPerDay === undefined ? [] : told.map(() => true));
    });

    for (const [how, end] of [
      ['restarted', () => app.postgres.stop()],
      ['crashed and started again', () => app.postgres.crash()],
    ] as const) {
      it(`and is ${how} while people chat, no turn fails, and each is stored once`, async () => {
        app.provider.answerWith(() => ({ steps: [{ text: 'One ' }, { wait: 5 }, { text: 'and two.' }] }));
        const turns: Told[] = [];
        let over = false;
        const chats = people.map(async (person) => {
          while (!over) turns.push(await ask(person, `Question ${turns.length}?`));
        });
        const more = (count: number) => {
          const enough = turns.length + count;
          return eventually(() => (turns.length >= enough ? true : undefined));
        };
        for (let round = 0; round < 3; round += 1) {
          await more(6);
          const before = logged(away);
          await end();
          await eventually(() => (logged(away) > before ? true : undefined));
          await app.postgres.start();
        }
        await more(6);
        over = true;
        await Promise.all(chats);
        await eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));
        expect(turns.filter(({ status }) => status !== 200)).to.deep.equal([]);
        expectAccountedFor(turns, await app.messages());
        expect((await reservations()).filter((reserved) => !reserved)).to.deep.equal([]);
      });
    }

    it('a turn that began in time fails when ten seconds are over, and one that comes later fails at once', async () => {
      await app.postgres.stop();
      const early = ask(avery);
      await waiting(1);
      app.clock.advance(10_000);
      expect(await early).to.include({ status: 500, text: internal });
      // While the database stays away: nothing else could end this one.
      expect(await ask(avery)).to.include({ status: 500, text: internal });
      expect(app.provider.requests).to.have.length(0);
      expect(app.streams.inFlight).to.equal(0);

      await app.postgres.start();
      await back();
      const told = await ask(avery);
      expect(told.text).to.equal(defaultReply.text);
      expectAccountedFor([told], await app.messages());
    });

    it('the turn of a client that disconnects meanwhile is neither stored nor sent to the provider', async () => {
      const leaving = new AbortController();
      await app.postgres.stop();
      const headers = { 'Content-Type': 'application/json', Cookie: avery.cookie };
      const sent = fetch(`${app.url}/api/chat`, {
        method: 'POST',
        headers,
        body: JSON.stringify(question('Is anybody there?')),
        signal: leaving.signal,
      }).catch(() => undefined);
      const other = ask(people[1] ?? avery);
      await waiting(2);
      leaving.abort();
      await sent;
      await waiting(1);
      await app.postgres.start();
      const told = await other;
      expect(told.status).to.equal(200);
      expectAccountedFor([told], await app.messages());
      expect(app.provider.requests).to.have.length(1);
    });

    it('sign-in and the state of a session do not wait: they fail at once', async () => {
      await app.postgres.stop();
      const session = await avery.browser.request('/auth/session');
      expect([session.status, await session.text()]).to.deep.equal([500, internal]);
      await app.postgres.start();
      await back();
    });

    // The last one: the application takes no requests after it.
    it('and the process is told to stop, those who wait are sent to another instance', async () => {
      await app.postgres.stop();
      const turn = ask(avery);
      await waiting(1);
      app.draining.abort();
      const { status, text } = await turn;
      expect(status).to.equal(503);
      expect(text).to.match(overloaded);
      await waiting(0);
      await app.postgres.start();
      expect(await app.messages()).to.deep.equal([]);
    });
  });
}
