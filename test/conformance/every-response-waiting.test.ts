import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { createTestApp, question } from '../support/test-app.ts';

describe('Every response', () => {
  /** One of every status that the routes of the service have. */
  const responses: Response[] = [];

  before(async () => {
    await using app = await createTestApp({ limits: { live: 5, demo: 4 } });
    const keep = async (sent: Promise<Response>) => {
      const response = await sent;
      await response.text();
      responses.push(response);
    };
    const avery = await app.person();
    const newcomer = await app.person({ who: 'blake@example.com', onboarded: false });
    for (const path of ['/auth/session', '/auth/github', '/nowhere', '/api/chat', '/readyz']) {
      await keep(fetch(app.url + path, { redirect: 'manual' }));
    }
    await keep(app.live({ cookie: '' }, question()));
    await keep(app.live(newcomer, question()));
    await keep(app.live(avery, question()));
    await keep(app.demo(question()));
    await keep(app.live(avery, '{'));
    // What the provider says of waiting is not ours to pass on.
    for (const [status, type] of [
      [401, 'authentication_error'],
      [429, 'rate_limit_error'],
      [529, 'overloaded_error'],
    ] as const) {
      const headers = { 'retry-after': '7', 'x-ratelimit-limit': '50', 'anthropic-ratelimit-requests-limit': '50' };
      app.provider.answerWith({ refuse: { status, type, message: 'Scripted failure.', headers } });
      await keep(app.live(avery, question()));
      await keep(app.demo(question()));
    }
    for (const body of [question(), '{']) {
      await keep(app.live(avery, body));
      await keep(app.demo(body));
    }
    app.draining.abort();
    for (const path of ['/readyz', '/']) await keep(fetch(app.url + path));
  });

  it('22 There is never an X-RateLimit header', () => {
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses].sort()).to.deep.equal([200, 302, 400, 401, 403, 404, 405, 429, 500, 502, 503]);
    for (const { headers } of responses) expect([...headers.keys()].join()).not.to.match(/rate-?limit/i);
  });

  it('23 Retry-After is on every 429 and nowhere else', () => {
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).to.have.length(4);
    for (const response of responses) {
      const retryAfter = response.headers.get('retry-after');
      if (response.status === 429) expect(retryAfter).to.match(/^[1-9]\d*$/);
      else expect(retryAfter, `${response.status} of ${response.url}`).to.equal(null);
    }
  });
});
