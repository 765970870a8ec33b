import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

describe('POST /api/chat/demo', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp({ limits: { demo: 1000 } });
  });
  beforeEach(() => app.provider.reset());
  after(() => app.close());

  it('logs a refusal as what it was', async () => {
    app.lines.length = 0;
    app.provider.answerWith({ refuse: { status: 401, type: 'authentication_error', message: 'Bad key.' } });
    await (await app.demo(question())).text();
    const line = await eventually(() => app.lines.find(({ path }) => path === '/api/chat/demo'));
    expect(line).to.include({ status: 502, code: 'UPSTREAM_AUTH', level: 50 });
  });

  it('refuses a body that is not declared as JSON, and takes any +json type', async () => {
    expect((await app.demo(question(), { 'Content-Type': 'text/plain' })).status).to.equal(400);
    expect((await app.demo(question(), { 'Content-Type': 'application/vnd.example+json' })).status).to.equal(200);
  });

  it('refuses on the way out with the code that sends the client elsewhere', async () => {
    await using leaving = await createTestApp({ shared: { storage: app.storage } });
    leaving.draining.abort();
    const response = await leaving.demo(question());
    expect(response.status).to.equal(503);
    expect(await response.text()).to.match(/^UPSTREAM_OVERLOADED: /);
  });
});
