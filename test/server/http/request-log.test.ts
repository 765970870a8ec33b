import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

describe('the line of a request that is refused', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;
  let blake: Awaited<ReturnType<TestApp['person']>>;

  before(async () => {
    app = await createTestApp({ limits: { demo: 0 } });
    avery = await app.person();
    blake = await app.person({ who: 'blake@example.com', onboarded: false });
  });
  after(() => app.close());

  const elsewhere = { 'Sec-Fetch-Site': 'cross-site' };
  const refusals: [string, () => Promise<Response>, object][] = [
    [
      'nobody is signed in',
      () => app.live({ ...avery, cookie: '' }, question()),
      { status: 401, code: 'UNAUTHENTICATED' },
    ],
    ['somebody is not onboarded', () => app.live(blake, question()), { status: 403, code: 'NOT_ONBOARDED' }],
    ["another site's page asks", () => app.live(avery, question(), elsewhere), { status: 403 }],
    ['a limit is reached', () => app.demo(question()), { status: 429, code: 'RATE_LIMITED' }],
    ['it is malformed', () => app.live(avery, { messages: 7 }), { status: 400, code: 'MISSING_MESSAGES' }],
  ];
  for (const [why, send, fields] of refusals) {
    it(`says so where ${why}, and when, in milliseconds since 1970`, async () => {
      app.lines.length = 0;
      const sentAt = Date.now();
      await (await send()).text();
      await fetch(`${app.url}/auth/session`);
      await eventually(() => app.lines.find(({ path }) => path === '/auth/session'));
      const [line] = app.lines.filter(({ msg }) => msg === 'request');
      expect(line).to.include({ method: 'POST', ...fields });
      expect(line?.time).to.be.within(sentAt, Date.now());
    });
  }
});
