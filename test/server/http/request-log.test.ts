import { createServer } from 'node:http';
import { expect } from 'chai';
import express from 'express';
import { describe, it } from 'mocha';
import { errorHandler } from '../../../server/http/errors.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { assignContext, requestLog } from '../../../server/http/request-context.ts';
import { eventually } from '../../support/eventually.ts';
import { listen } from '../../support/loopback.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { createTestApp, question } from '../../support/test-app.ts';

describe('the line of a request that is refused', () => {
  const app = ofSuite(() => createTestApp({ limits: { demo: 0 } }));
  const avery = ofSuite(() => app.person());
  const blake = ofSuite(() => app.person({ who: 'blake@example.com', onboarded: false }));

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

describe('what fails after the line of its request', () => {
  it('gets a line of its own, with the same request id', async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
    const app = express();
    app.use((request, response, next) => {
      assignContext(request, response, logger);
      next();
    });
    app.use(requestLog(logger));
    app.get('/', (_request, response, next) => {
      response.end('whole');
      response.once('close', () => next(new Error('Too late.')));
    });
    app.use(errorHandler);
    const { port, close } = await listen(createServer(app));
    try {
      const response = await fetch(`http://127.0.0.1:${port}`);
      expect(await response.text()).to.equal('whole');
      const failure = await eventually(() => lines.find(({ level }) => level === 50));
      expect(failure).to.deep.include({ requestId: response.headers.get('X-Request-Id'), code: 'INTERNAL' });
      expect(failure?.err).to.include({ type: 'Error' });
      expect(lines.map(({ msg }) => msg)).to.deep.equal(['request', 'failed after its request was over']);
    } finally {
      await close();
    }
  });
});
