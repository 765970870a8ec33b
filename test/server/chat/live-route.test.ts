import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { errorEvent } from '../../support/scripted-provider.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

describe('POST /api/chat', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  before(async () => {
    app = await createTestApp();
    avery = await app.person();
  });
  beforeEach(async () => {
    app.provider.reset();
    await app.storage.rows('delete from conversations');
  });
  after(() => app.close());

  const messages = () => app.storage.rows('select * from chat_messages order by position');

  it('ends a reply that the shutdown cuts with the error line, and stores it', async () => {
    await using doomed = await createTestApp({ shared: { storage: app.storage } });
    const { promise, resolve } = Promise.withResolvers<void>();
    doomed.provider.answerWith({ steps: [{ text: 'So far' }, { wait: promise }] });
    const response = await doomed.live(avery, question());
    doomed.cut.abort();
    expect(await response.text()).to.match(/^So far\n\n\[UPSTREAM_ERROR: /);
    expect((await messages())[1]).to.include({ content: 'So far', stop_reason: null });
    resolve();
  });

  it('refuses in the documented order: session, onboarding, limit, JSON, messages', async () => {
    await using limited = await createTestApp({ shared: { storage: app.storage }, limits: { live: 1 } });
    const newcomer = await limited.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
    const refusals = [
      [await limited.live({ cookie: '' }, '{'), 401, 'UNAUTHENTICATED: Sign in to continue.'],
      [await limited.live(newcomer, '{'), 403, 'NOT_ONBOARDED: Complete onboarding to continue.'],
      [await limited.live(avery, '{'), 400, 'INVALID_JSON: The request body is not valid JSON.'],
      [await limited.live(avery, '{'), 429, 'RATE_LIMITED: Too many requests. Try again in 60 seconds.'],
    ] as const;
    for (const [response, status, body] of refusals) {
      expect(response.status).to.equal(status);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(response.headers.get('retry-after')).to.equal(status === 429 ? '60' : null);
      expect(response.headers.get('set-cookie')).to.equal(null);
      expect(await response.text()).to.equal(body);
    }
    expect(limited.provider.requests).to.have.length(0);
    expect(await messages()).to.have.length(0);
  });

  it('logs identifiers and counts, and never what was said, cookies or keys', async () => {
    app.lines.length = 0;
    app.provider.answerWith({ steps: [{ text: 'secret answer' }, errorEvent('api_error')] });
    const response = await app.live(avery, question('secret question'));
    await response.text();
    const line = await eventually(() => app.lines.find(({ path }) => path === '/api/chat'));
    expect(line).to.include({
      requestId: response.headers.get('x-request-id'),
      status: 200,
      userId: avery.user.id,
      orgId: avery.user.organization.id,
      code: 'UPSTREAM_ERROR',
      ending: 'failed',
    });
    expect(line.providerRequestId).to.match(/^req_/);
    expect(JSON.stringify([...response.headers])).not.to.include('req_');
    const log = JSON.stringify(app.lines);
    for (const secret of ['secret', avery.cookie.split('=')[1] ?? '', 'test-key', 'Example Castings']) {
      expect(log).not.to.include(secret);
    }
  });
});
