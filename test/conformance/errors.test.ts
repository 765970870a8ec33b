import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type ErrorCode, errors } from '../../shared/errors.ts';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { postForChunks } from '../support/raw-http.ts';
import { createTestApp, exampleOnboarding, question, type TestApp } from '../support/test-app.ts';
import { brokenClock } from './support/broken-clock.ts';
import { refusals, streamFailures } from './support/provider-failures.ts';

/** The specification's statuses, independent of `shared/errors.ts`. */
const statuses = new Map<ErrorCode, number>([
  ['UPSTREAM_OVERLOADED', 503],
  ['UPSTREAM_AUTH', 500],
  ['UPSTREAM_BAD_REQUEST', 400],
  ['UPSTREAM_ERROR', 502],
]);

const silence = { wait: new Promise(() => {}) };
const shortIdleTimeout = { idleTimeoutMilliseconds: 500 };

describe('Errors', () => {
  const app = perSuite(() => createTestApp({ limits: { live: 1000, demo: 1000 } }));
  const avery = perSuite(() => app.person());
  beforeEach(() => app.provider.reset());

  async function askBoth(at: TestApp) {
    const [live, demo] = await Promise.all([at.live(avery, question()), at.demo(question())]);
    return { live, demo };
  }

  async function expectError(response: Response, code: ErrorCode, description: string) {
    expect(response.status, description).to.equal(statuses.get(code));
    expect(response.headers.get('content-type'), description).to.equal('text/plain; charset=utf-8');
    expect(response.headers.get('retry-after'), description).to.equal(null);
    expect(await response.text(), description).to.equal(`${code}: ${errors[code].sentence}`);
  }

  /** Asserts that live chat answers with `code`, and demo chat with the one of its two codes for a failed provider. */
  async function expectErrors(at: TestApp, code: ErrorCode, what: string) {
    const { live, demo } = await askBoth(at);
    await expectError(live, code, `${what}, on live chat`);
    await expectError(demo, code === 'UPSTREAM_OVERLOADED' ? code : 'UPSTREAM_ERROR', `${what}, on demo chat`);
  }

  async function expectMappedTo(code: ErrorCode) {
    for (const [status, type] of refusals.filter(([, , becomes]) => becomes === code)) {
      app.provider.answerWith({ refuse: { status, type, message: 'Scripted.', headers: { 'retry-after': '7' } } });
      await expectErrors(app, code, `the provider's ${status} ${type}`);
    }
    for (const [title, step] of streamFailures.filter(([, , becomes]) => becomes === code)) {
      app.provider.answerWith({ steps: [step] });
      await expectErrors(app, code, `a provider that ${title}`);
    }
  }

  it('110 An overload of the provider is 503 UPSTREAM_OVERLOADED', () => expectMappedTo('UPSTREAM_OVERLOADED'));

  it("111 The provider's 401 and 403 are 500 UPSTREAM_AUTH", () => expectMappedTo('UPSTREAM_AUTH'));

  it("112 The provider's 400 is 400 UPSTREAM_BAD_REQUEST", () => expectMappedTo('UPSTREAM_BAD_REQUEST'));

  it('113 Any other provider failure is 502 UPSTREAM_ERROR', async () => {
    await expectMappedTo('UPSTREAM_ERROR');
    const html = { 'content-type': 'text/html' };
    app.provider.answerWith({ refuse: { status: 502, type: 'api_error', message: '', headers: html } });
    await expectErrors(app, 'UPSTREAM_ERROR', 'an HTML error page of a proxy');

    await using withoutProvider = await createTestApp({ shared: { storage: app.storage } });
    await withoutProvider.provider.close();
    await expectErrors(withoutProvider, 'UPSTREAM_ERROR', 'an unreachable provider');

    await using impatient = await createTestApp({ shared: { storage: app.storage }, ...shortIdleTimeout });
    impatient.provider.answerWith({ steps: [silence] });
    await expectErrors(impatient, 'UPSTREAM_ERROR', 'a provider that stops sending');
  });

  it('114 An uncaught error on live chat is 500 INTERNAL, without a stack', async () => {
    await using broken = await createTestApp({ shared: { storage: app.storage }, clock: brokenClock });
    const response = await broken.live(avery, question(), { 'X-Request-Id': 'uncaught' });
    expect(response.status).to.equal(500);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(await response.text()).to.equal('INTERNAL: Something went wrong on our side.');
    expect(JSON.stringify([...response.headers])).not.to.include('A bug');
    const line = await eventually(() => broken.lines.find(({ requestId }) => requestId === 'uncaught'));
    expect(line).to.include({ status: 500, code: 'INTERNAL' });
    expect(line).to.have.nested.property('err.cause.type', 'TypeError');
    expect(line)
      .to.have.nested.property('err.cause.stack')
      .that.matches(/^at test\/conformance\/support\/broken-clock\.ts:/);
  });

  /** Asserts that both routes append the error line to the text and end the response cleanly. */
  async function expectAppended(at: TestApp, what: string) {
    const replies = ['/api/chat', '/api/chat/demo'].map((path) =>
      postForChunks(at.url + path, question(), { Cookie: avery.cookie }),
    );
    for (const { status, chunks } of await Promise.all(replies)) {
      expect(status, what).to.equal(200);
      expect(chunks, what).to.deep.equal(['Half', '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]']);
    }
  }

  it('115 An error after text keeps the status 200 and is appended to the body, and the response ends cleanly', async () => {
    for (const [title, step] of streamFailures) {
      app.provider.answerWith({ steps: [{ text: 'Half' }, step] });
      await expectAppended(app, `a provider that ${title}`);
    }
    await using impatient = await createTestApp({ shared: { storage: app.storage }, ...shortIdleTimeout });
    impatient.provider.answerWith({ steps: [{ text: 'Half' }, silence] });
    await expectAppended(impatient, 'a provider that stops sending');
  });

  it('116 The body of a 429 states the same wait as Retry-After', async () => {
    let now = 0;
    await using limited = await createTestApp({
      shared: { storage: app.storage },
      limits: { live: 1, demo: 1 },
      clock: () => now,
    });
    for (const response of Object.values(await askBoth(limited))) expect(await response.text()).not.to.equal('');
    for (const [elapsed, live, demo] of [
      [0, '60 seconds', '3600 seconds'],
      [17_500, '43 seconds', '3583 seconds'],
      [59_000, '1 second', '3541 seconds'],
    ] as const) {
      now = elapsed;
      const refused = await askBoth(limited);
      for (const [response, wait] of [
        [refused.live, live],
        [refused.demo, demo],
      ] as const) {
        expect(response.status).to.equal(429);
        expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
        expect(response.headers.get('retry-after')).to.equal(wait.split(' ')[0]);
        expect(await response.text()).to.equal(`RATE_LIMITED: Too many requests. Try again in ${wait}.`);
      }
    }
  });

  it('133 VALIDATION_FAILED and CONVERSATION_NOT_FOUND are never sent', async () => {
    const nowhere = `c${'0'.repeat(24)}`;
    const newcomer = await app.person({ provider: 'github', who: 'casey-example', onboarded: false });
    const invalid = { ...exampleOnboarding, company: {} };
    const answers = [
      await newcomer.browser.post('/onboarding', invalid),
      await newcomer.browser.post('/api/onboarding', invalid),
      await avery.browser.request(`/api/conversations/${nowhere}/messages`),
      await avery.browser.request(`/api/conversations/${nowhere}/archive`, { method: 'POST' }),
      await app.live(avery, { ...question(), conversationId: nowhere }),
      await app.live(avery, { messages: [{ role: 'user', content: 7 }], conversationId: nowhere }),
      await app.demo({ ...question(), conversationId: nowhere }),
      await app.demo({ messages: [7] }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([422, 404, 404, 404, 200, 400, 200, 502]);
    for (const answer of answers) {
      expect(await answer.text()).not.to.match(/VALIDATION_FAILED|CONVERSATION_NOT_FOUND/);
    }
  });
});
