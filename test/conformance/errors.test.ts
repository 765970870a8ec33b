import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { demoErrorCodes, type ErrorCode, errors } from '../../shared/errors.ts';
import { eventually } from '../support/eventually.ts';
import { createTestApp, exampleOnboarding, question, type TestApp } from '../support/test-app.ts';
import { createInstance } from './support/instance.ts';
import { breaks, refusals } from './support/provider-failures.ts';
import { postForPieces } from './support/raw-reply.ts';

/** The specification's statuses, beside the numbers of the statements. */
const rows = new Map<ErrorCode, { row: number; status: number }>([
  ['UPSTREAM_OVERLOADED', { row: 110, status: 503 }],
  ['UPSTREAM_AUTH', { row: 111, status: 500 }],
  ['UPSTREAM_BAD_REQUEST', { row: 112, status: 400 }],
  ['UPSTREAM_ERROR', { row: 113, status: 502 }],
]);

describe('Errors', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  before(async () => {
    app = await createTestApp({ limits: { live: 1000, demo: 1000 } });
    avery = await app.person();
  });
  beforeEach(() => app.provider.reset());
  after(() => app.close());

  /** What a client gets from either route of `at`. */
  async function answersOf(at: TestApp) {
    const [live, demo] = await Promise.all([at.live(avery, question()), at.demo(question())]);
    return { live, demo };
  }

  async function expectError(response: Response, code: ErrorCode) {
    expect(response.status).to.equal(rows.get(code)?.status);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(response.headers.get('retry-after')).to.equal(null);
    expect(await response.text()).to.equal(`${code}: ${errors[code].sentence}`);
  }

  /** That live chat answers with `code`, and demo chat with the same where that is one of its five. */
  async function expectErrors(at: TestApp, code: ErrorCode) {
    const { live, demo } = await answersOf(at);
    await expectError(live, code);
    await expectError(demo, demoErrorCodes.includes(code) ? code : 'UPSTREAM_ERROR');
  }

  for (const [status, type, code] of refusals) {
    it(`${rows.get(code)?.row} the provider's ${status} ${type} is ${rows.get(code)?.status} ${code}`, async () => {
      app.provider.answerWith({ refuse: { status, type, message: 'Scripted.', headers: { 'retry-after': '7' } } });
      await expectErrors(app, code);
    });
  }

  for (const [what, step, code] of breaks) {
    it(`${rows.get(code)?.row} a provider that ${what} before any text is ${rows.get(code)?.status} ${code}`, async () => {
      app.provider.answerWith({ steps: [step] });
      await expectErrors(app, code);
    });
  }

  it('113 a provider that cannot be reached is 502 UPSTREAM_ERROR', async () => {
    const stranded = await createInstance({ shared: { storage: app.storage } });
    await stranded.provider.close();
    await expectErrors(stranded, 'UPSTREAM_ERROR');
  });

  it('113 115 a provider that falls silent is 502 before any text, and appended after it', async () => {
    const impatient = await createInstance({ shared: { storage: app.storage }, idleTimeoutMilliseconds: 1000 });
    const silence = { wait: new Promise(() => {}) };
    impatient.provider.answerWith({ steps: [silence] });
    await expectErrors(impatient, 'UPSTREAM_ERROR');
    impatient.provider.answerWith({ steps: [{ text: 'Half' }, silence] });
    await expectAppended(impatient);
  });

  it('114 anything uncaught on live chat is 500 INTERNAL, with its stack in the log alone', async () => {
    const broken = await createInstance({
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
    expect(JSON.stringify(line)).to.include('TypeError: A mistake of ours.');
  });

  /** That both routes end their replies cleanly, after the text, with the one line that says so. */
  async function expectAppended(at: TestApp) {
    const replies = ['/api/chat', '/api/chat/demo'].map((path) =>
      postForPieces(at.url + path, question(), { Cookie: avery.cookie }),
    );
    for (const { status, pieces } of await Promise.all(replies)) {
      expect(status).to.equal(200);
      expect(pieces).to.deep.equal(['Half', '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]']);
    }
  }

  for (const [what, step] of breaks) {
    it(`115 a provider that ${what} after text: 200, the error appended, a clean end`, async () => {
      app.provider.answerWith({ steps: [{ text: 'Half' }, step] });
      await expectAppended(app);
    });
  }

  it('116 the body of a 429 names the seconds of Retry-After', async () => {
    let now = 0;
    const limited = await createInstance({
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
    const json = { 'Content-Type': 'application/json' };
    const invalid = JSON.stringify({ ...exampleOnboarding, company: {} });
    const answers = [
      await newcomer.browser.request('/onboarding', { method: 'POST', headers: json, body: invalid }),
      await newcomer.browser.request('/api/onboarding', { method: 'POST', headers: json, body: invalid }),
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
