import { connect } from 'node:net';
import { expect } from 'chai';
import type { Response as ExpressResponse, Request, RequestHandler } from 'express';
import { beforeEach, describe, it } from 'mocha';
import { createStreamLimit } from '../../../server/chat/stream-limit.ts';
import { routes } from '../../../shared/interface.ts';
import { limits } from '../../../shared/route-table.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite, perTest } from '../../support/per-suite.ts';
import { defaultReply } from '../../support/scripted-provider.ts';
import { createTestApp, question } from '../../support/test-app.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const serviceIsFull = 'UPSTREAM_OVERLOADED: The service is at capacity right now. Try again shortly.';
const demoIsFull = 'UPSTREAM_OVERLOADED: Demo chat is at capacity right now. Try again shortly.';
const userIsFull = 'UPSTREAM_OVERLOADED: You have too many replies in progress. Try again when one has finished.';

describe('createStreamLimit', () => {
  const limiter = { check: async () => undefined };

  /** Returns the number of turns that are admitted before the first refusal. */
  async function admitted(admit: RequestHandler, onFinished: (release: () => void) => void = () => undefined) {
    for (let turns = 0; ; turns += 1) {
      const context = { user: { id: 'avery' }, onFinished };
      try {
        await admit({} as Request, { locals: { context } } as unknown as ExpressResponse, () => undefined);
      } catch {
        return turns;
      }
    }
  }

  it('gives demo chat half of the slots by default, rounded up, so that it has a slot even if there is only one', async () => {
    for (const [total, demo] of [
      [1, 1],
      [4, 2],
      [5, 3],
    ] as const) {
      expect(await admitted(createStreamLimit({ total }).admitDemo), `${total}`).to.equal(demo);
    }
  });

  it('gives a user, by default, as many slots as questions per minute', async () => {
    const admit = createStreamLimit({ total: 1_000 }).admitUser(limiter, { isFull: false });
    expect(await admitted(admit)).to.equal(limits.live.requests);
  });

  it('still counts the other turn of a user when one of two has finished', async () => {
    const admit = createStreamLimit({ total: 1_000, perUser: 2 }).admitUser(limiter, { isFull: false });
    const releases: (() => void)[] = [];
    expect(await admitted(admit, (release) => releases.push(release))).to.equal(2);
    releases[0]?.();
    expect(await admitted(admit)).to.equal(1);
  });
});

describe('the limit on turns in flight', () => {
  let finish: () => void;

  const home = perSuite(() => createTestApp());
  const avery = perSuite(() => home.person());
  const casey = perSuite(() => home.person({ provider: 'github', who: 'casey-example' }));
  const newcomer = perSuite(() => home.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false }));

  const app = perTest(() =>
    createTestApp({
      shared: { storage: home.storage },
      maxStreams: 4,
      streams: { perUser: 2 },
      limits: { demo: 3, live: 3 },
    }),
  );
  beforeEach(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    finish = resolve;
    app.provider.answerWith(() => ({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] }));
  });

  async function expectFull(sent: Promise<Response>, sentence: string): Promise<void> {
    const response = await sent;
    expect([response.status, await response.text()]).to.deep.equal([503, sentence]);
    expect(response.headers.get('retry-after')).to.equal(null);
  }

  async function expectComplete(running: readonly Response[]): Promise<void> {
    expect(app.provider.requests).to.have.length(running.length);
    finish();
    for (const reply of running) expect(await reply.text()).to.equal('Half, whole.');
    await eventually(() => (app.streams.inFlight === 0 ? true : undefined));
  }

  it('refuses further turns on both routes with the sentence about the service, after 401 and 403 and before it reads the JSON', async () => {
    const running = [await app.live(avery, question()), await app.live(avery, question())];
    running.push(await app.live(casey, question()), await app.demo(question()));
    await expectFull(app.demo(question()), serviceIsFull);
    await expectFull(app.live(casey, 'no JSON'), serviceIsFull);
    expect((await app.live({ cookie: '' }, question())).status).to.equal(401);
    expect((await app.live(newcomer, question())).status).to.equal(403);
    await expectComplete(running);
  });

  it('limits the turns of a user in all their sessions, with the sentence about the user, and leaves the other slots to others', async () => {
    const elsewhere = await app.person();
    const running = [await app.live(avery, question()), await app.live(elsewhere, question())];
    for (const session of [avery, elsewhere]) await expectFull(app.live(session, question()), userIsFull);
    running.push(await app.live(casey, question()), await app.demo(question()));
    await expectComplete(running);
  });

  it('limits demo chat separately, with the sentence about demo chat, and leaves the other slots to users', async () => {
    const running = [await app.demo(question()), await app.demo(question())];
    await expectFull(app.demo(question()), demoIsFull);
    running.push(await app.live(avery, question()), await app.live(casey, question()));
    await expectComplete(running);
  });

  it('answers 429 instead of 503 if the user has also reached the request limit', async () => {
    await using narrow = await createTestApp({
      shared: { storage: home.storage },
      streams: { perUser: 1 },
      limits: { live: 1 },
    });
    narrow.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: new Promise(() => undefined) }] });
    const running = await narrow.live(avery, question());
    expect((await narrow.live(avery, question())).status).to.equal(429);
    await running.body?.cancel();
  });
});

describe('the slot of a refused turn', () => {
  for (const path of [routes.liveChat, routes.demoChat]) {
    it(`of ${path} is released before its response is sent, even if the response has to wait for an earlier one on the connection`, async () => {
      await using app = await createTestApp({ limits: { demo: 1, live: 1 }, maxStreams: 4 });
      app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: new Promise(() => undefined) }] });
      const { cookie } = await app.person();
      const body = JSON.stringify(question());
      const fields = ['Host: localhost', `Cookie: ${cookie}`, 'Content-Type: application/json'];
      const head = [`POST ${path} HTTP/1.1`, ...fields, `Content-Length: ${body.length}`].join('\r\n');
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
      socket.write(`${head}\r\n\r\n${body}`.repeat(3));
      await app.provider.request(1);
      await eventually(() => (app.streams.inFlight === 1 ? true : undefined));
      // Demo chat has two slots, of which at most one is used.
      const free = await app.demo(question(), { 'X-Forwarded-For': '192.0.2.7' });
      expect(free.status).to.equal(200);
      await free.body?.cancel();
      socket.destroy();
    });
  }
});

describe('when the maximum number of answers is waiting for the database', () => {
  it('live chat answers 503 until the answers are stored, and demo chat keeps working', async () => {
    await using storage = await createTestDatabase();
    const { turns } = storage.database;
    let unavailable = true;
    const close: typeof turns.close = (...parameters) =>
      unavailable ? Promise.reject(new Error('read-only')) : turns.close(...parameters);
    const database = { ...storage.database, turns: { ...turns, close } };
    await using app = await createTestApp({
      shared: { storage },
      database,
      maxLateWrites: 1,
      lateAfterMilliseconds: 200,
      limits: { live: 2 },
    });
    const avery = await app.person();
    expect(await (await app.live(avery, question())).text()).to.equal(defaultReply.text);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const refused = await app.live(avery, question());
      expect([refused.status, await refused.text()]).to.deep.equal([503, serviceIsFull]);
    }
    expect(app.provider.requests).to.have.length(1);
    expect(await (await app.demo(question())).text()).to.equal(defaultReply.text);
    unavailable = false;
    await eventually(() => (app.lateWrites.isFull ? undefined : true));
    expect(await (await app.live(avery, question())).text()).to.equal(defaultReply.text);
    expect(await storage.rows(`select role from chat_messages where role = 'ASSISTANT'`)).to.have.length(2);
  });
});
