import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

describe('a connection to the provider is prepared', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;
  let prepared: number;

  before(async () => {
    app = await createTestApp({ limits: { demo: 1, live: 1 } });
    avery = await app.person();
    const { prepare } = app.model;
    app.model.prepare = () => {
      prepared += 1;
      prepare();
    };
  });
  beforeEach(() => {
    prepared = 0;
  });
  after(() => app.close());

  // Who is over the limit is refused after it has been asked.
  it('while the limit of a demo chat is asked', async () => {
    expect((await app.demo(question())).status).to.equal(200);
    expect((await app.demo(question())).status).to.equal(429);
    expect(prepared).to.equal(2);
  });

  it('while the limit of a live chat is asked, and the question is not stored yet', async () => {
    expect((await app.live(avery, question())).status).to.equal(200);
    expect((await app.live(avery, question())).status).to.equal(429);
    expect(prepared).to.equal(2);
  });

  it('for nobody who may not ask', async () => {
    const newcomer = await app.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
    expect((await app.live({ cookie: '' }, question())).status).to.equal(401);
    expect((await app.live(newcomer, question())).status).to.equal(403);
    expect(prepared).to.equal(0);
  });
});
