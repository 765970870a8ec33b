import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { eventually } from '../../support/eventually.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';
import { createTestDatabase } from '../../support/test-database.ts';

describe('the requests under way', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;
  let asked = 0;
  let answered = 0;
  let stored = Promise.resolve();

  after(async () => {
    await app.close();
  });
  const storage = ofSuite(() => createTestDatabase());
  before(async () => {
    const { turns } = storage.database;
    const database = {
      ...storage.database,
      turns: {
        ...turns,
        async open(...parameters: Parameters<typeof turns.open>) {
          asked += 1;
          await stored;
          return turns.open(...parameters);
        },
        close(...parameters: Parameters<typeof turns.close>) {
          answered += 1;
          return turns.close(...parameters);
        },
      },
    };
    app = await createTestApp({ shared: { storage }, database });
    avery = await app.person();
  });

  it('are not over before what came of a reply is given to the database whose client has left', async () => {
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: new Promise(() => undefined) }] });
    const reply = await app.live(avery, question());
    const over = app.requests.over();
    await reply.body?.cancel();
    await over;
    expect(answered).to.equal(1);
    const answer = await eventually(async () => {
      const [row] = await storage.rows(`select content from chat_messages where role = 'ASSISTANT'`);
      return row;
    });
    expect(answer.content).to.equal('Half, ');
  });

  it('are answered, those that have had nothing yet, and what comes of them later is not sent', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.reset();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
    const begun = await app.live(avery, question());
    app.lines.length = 0;
    stored = promise;
    const sent = app.live(avery, question());
    await eventually(() => (asked === 3 ? true : undefined));
    app.requests.failUnanswered(new AppError('UPSTREAM_OVERLOADED'));
    const response = await sent;
    expect([response.status, response.headers.get('connection')]).to.deep.equal([503, 'close']);
    expect(await response.text()).to.equal('UPSTREAM_OVERLOADED: The model is busy right now. Try again shortly.');
    resolve();
    expect(await begun.text()).to.equal('Half, whole.');
    await app.requests.over();
    const statuses = app.lines.filter(({ path }) => path === '/api/chat').map(({ status, code }) => [status, code]);
    expect(statuses).to.have.deep.members([
      [200, undefined],
      [503, 'UPSTREAM_OVERLOADED'],
    ]);
    expect(app.provider.requests).to.have.length(1);
  });
});
