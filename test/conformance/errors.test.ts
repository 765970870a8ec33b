import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type ErrorCode, errors } from '../../shared/errors.ts';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { createTestApp, exampleOnboarding, question, type TestApp } from '../support/test-app.ts';
import { breaks, refusals } from './support/provider-failures.ts';
import { postForPieces } from './support/send.ts';

/** The specification's statuses, written down a second time. */
const statuses = new Map<ErrorCode, number>([
  ['UPSTREAM_OVERLOADED', 503],
  ['UPSTREAM_AUTH', 500],
  ['UPSTREAM_BAD_REQUEST', 400],
  ['UPSTREAM_ERROR', 502],
]);

/** The specification's five codes of demo chat. */
const ofDemo: readonly ErrorCode[] = [
  'INVALID_JSON',
  'MISSING_MESSAGES',
  'RATE_LIMITED',
  'UPSTREAM_OVERLOADED',
  'UPSTREAM_ERROR',
];

/** A provider that says no more. */
const silence = { wait: new Promise(() => {}) };
const shortPatience = { idleTimeoutMilliseconds: 500 };

describe('Errors and the client', () => {
  const app = ofSuite(() => createTestApp({ limits: { live: 1000, demo: 1000 } }));
  const avery = ofSuite(() => app.person());
  beforeEach(() => app.provider.reset());

  /** What a client gets from either route of `at`. */
  async function answersOf(at: TestApp) {
    const [live, demo] = await Promise.all([at.live(avery, question()), at.demo(question())]);
    return { live, demo };
  }

  async function expectError(response: Response, code: ErrorCode, what: string) {
    expect(response.status, what).to.equal(statuses.get(code));
    expect(response.headers.get('content-type'), what).to.equal('text/plain; charset=utf-8');
    expect(response.headers.get('retry-after'), what).to.equal(null);
    expect(await response.text(), what).to.equal(`${code}: ${errors[code].sentence}`);
  }

  /** That live chat answers with `code`, and demo chat with the same where that is one of its five. */
  async function expectErrors(at: TestApp, code: ErrorCode, what: string) {
    const { live, demo } = await answersOf(at);
    await expectError(live, code, `${what}, on live chat`);
    await expectError(demo, ofDemo.includes(code) ? code : 'UPSTREAM_ERROR', `${what}, on demo chat`);
  }

  /** That every refusal and every break before text that should become `code` does. */
  async function expectAllOf(code: ErrorCode) {
    for (const [status, type] of refusals.filter(([, , becomes]) => becomes === code)) {
      app.provider.answerWith({ refuse: { status, type, message: 'Scripted.', headers: { 'retry-after': '7' } } });
      await expectErrors(app, code, `the provider's ${status} ${type}`);
    }
    for (const [what, step] of breaks.filter(([, , becomes]) => becomes === code)) {
      app.provider.answerWith({ steps: [step] });
      await expectErrors(app, code, `a provider that ${what}`);
    }
  }

  it('110 An overload of the provider is 503 UPSTREAM_OVERLOADED', () => expectAllOf('UPSTREAM_OVERLOADED'));

  it("111 The provider's 401 and 403 are 500 UPSTREAM_AUTH", () => expectAllOf('UPSTREAM_AUTH'));

  it("112 The provider's 400 is 400 UPSTREAM_BAD_REQUEST", () => expectAllOf('UPSTREAM_BAD_REQUEST'));

  it('113 Any other trouble with the provider is 502 UPSTREAM_ERROR', async () => {
    await expectAllOf('UPSTREAM_ERROR');
    const html = { 'content-type': 'text/html' };
    app.provider.answerWith({ refuse: { status: 502, type: 'api_error', message: '', headers: html } });
    await expectErrors(app, 'UPSTREAM_ERROR', 'a page of a proxy');

    await using lonely = await createTestApp({ shared: { storage: app.storage } });
    await lonely.provider.close();
    await expectErrors(lonely, 'UPSTREAM_ERROR', 'a provider that cannot be reached');

    await using impatient = await createTestApp({ shared: { storage: app.storage }, ...shortPatience });
    impatient.provider.answerWith({ steps: [silence] });
    await expectErrors(impatient, 'UPSTREAM_ERROR', 'a provider that falls silent');
  });

  it('114 An uncaught error on live chat is 500 INTERNAL, and shows no stack', async () => {
    await using broken = await createTestApp({
      shared: { storage: app.storage },
      clock: () => {
        throw new TypeError('A mistake of ours.');
      },
    });
    const response = await broken.live(avery, question(), { 'X-Request-Id': 'unlucky' });
    expect(response.status).to.equal(500);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(await response.text()).to.equal('INTERNAL: Something went wrong on our side.');
    expect(JSON.stringify([...response.headers])).not.to.include('mistake');
    const line = await eventually(() => broken.lines.find(({ requestId }) => requestId === 'unlucky'));
    expect(line).to.include({ status: 500, code: 'INTERNAL' });
    expect(line).to.have.nested.property('err.cause.type', 'TypeError');
    expect(line)
      .to.have.nested.property('err.cause.stack')
      .that.matches(/^at test\/conformance\/errors\.test\.ts:/);
  });

  /** That both routes end their replies cleanly, after the text, with the one line that says so. */
  async function expectAppended(at: TestApp, what: string) {
    const replies = ['/api/chat', '/api/chat/demo'].map((path) =>
      postForPieces(at.url + path, question(), { Cookie: avery.cookie }),
    );
    for (const { status, pieces } of await Promise.all(replies)) {
      expect(status, what).to.equal(200);
      expect(pieces, what).to.deep.equal(['Half', '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]']);
    }
  }

  it('115 An error after text leaves the status 200, is appended to the body, and the response ends cleanly', async () => {
    for (const [what, step] of breaks) {
      app.provider.answerWith({ steps: [{ text: 'Half' }, step] });
      await expectAppended(app, `a provider that ${what}`);
    }
    await using impatient = await createTestApp({ shared: { storage: app.storage }, ...shortPatience });
    impatient.provider.answerWith({ steps: [{ text: 'Half' }, silence] });
    await expectAppended(impatient, 'a provider that falls silent');
  });

  it('116 The body of a 429 names the seconds of Retry-After', async () => {
    let now = 0;
    await using limited = await createTestApp({
      shared: { storage: app.storage },
      limits: { live: 1, demo: 1 },
      clock: () => now,
    });
    for (const response of Object.values(await answersOf(limited))) expect(await response.text()).not.to.equal('');
    for (const [elapsed, live, demo] of [
      [0, '60 seconds', '3600 seconds'],
      [17_500, '43 seconds', '3583 seconds'],
      [59_000, '1 second', '3541 seconds'],
    ] as const) {
      now = elapsed;
      const refused = await answersOf(limited);
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

  it('133 VALIDATION_FAILED and CONVERSATION_NOT_FOUND are never sent today', async () => {
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
