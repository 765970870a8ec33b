import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { loadConfig } from '../../../../server/config/config.ts';
import { createTestApp, type TestApp } from '../../../support/test-app.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { createFakeClock } from '../../limits/fake-clock.ts';

const secret = 'code=4%2F0AfJ&session=abc';

/** What `report-uri` sends. */
const oldReport = {
  'csp-report': {
    'document-uri': `https://chat.example/sign-in?${secret}`,
    referrer: `https://chat.example/chat?${secret}`,
    'violated-directive': 'script-src-elem',
    'effective-directive': 'script-src-elem',
    'original-policy': "default-src 'none'",
    'blocked-uri': `https://elsewhere.example/evil.js?${secret}`,
    'source-file': `https://chat.example/assets/index.js?${secret}`,
    'line-number': 7,
    'script-sample': 'steal(document.cookie)',
  },
};

/** What `report-to` sends. */
const newReport = (body: object = {}) => ({
  type: 'csp-violation',
  age: 12,
  url: `https://chat.example/chat?${secret}`,
  user_agent: 'Mozilla/5.0',
  body: {
    documentURL: `https://chat.example/chat?${secret}`,
    referrer: `https://chat.example/?${secret}`,
    effectiveDirective: 'require-trusted-types-for',
    blockedURL: 'trusted-types-sink',
    originalPolicy: "default-src 'none'",
    sourceFile: `https://chat.example/assets/index.js?${secret}`,
    lineNumber: 1,
    columnNumber: 2,
    sample: 'Element innerHTML|<img src=x>',
    ...body,
  },
});

describe('POST /csp-reports', () => {
  const clock = createFakeClock();
  let app: TestApp;

  before(async () => {
    app = await createTestApp({ clock: clock.read });
  });
  after(() => app.close());
  beforeEach(() => {
    clock.advance(60_000);
    app.lines.splice(0);
  });

  const send = (report: unknown, type = 'application/reports+json', headers: Record<string, string> = {}) =>
    fetch(`${app.url}/csp-reports`, {
      method: 'POST',
      headers: { 'Content-Type': type, ...headers },
      body: typeof report === 'string' ? report : JSON.stringify(report),
    });

  const logged = () =>
    app.lines
      .filter(({ msg }) => msg === 'a page broke the Content-Security-Policy')
      .map(({ level, directive, blocked, source, line, page }) => ({ level, directive, blocked, source, line, page }));

  it('logs what the older form reports as a warning: directive, origin, path and line', async () => {
    const response = await send(oldReport, 'application/csp-report');
    expect(response.status).to.equal(204);
    expect(logged()).to.deep.equal([
      {
        level: 40,
        directive: 'script-src-elem',
        blocked: 'https://elsewhere.example',
        source: '/assets/index.js',
        line: 7,
        page: '/sign-in',
      },
    ]);
    const requestId = response.headers.get('x-request-id');
    expect(app.lines.find(({ directive }) => directive !== undefined)).to.include({ requestId });
  });

  it('logs what the newer form reports in the same way', async () => {
    expect((await send([newReport()])).status).to.equal(204);
    expect(logged()).to.deep.equal([
      {
        level: 40,
        directive: 'require-trusted-types-for',
        blocked: 'trusted-types-sink',
        source: '/assets/index.js',
        line: 1,
        page: '/chat',
      },
    ]);
  });

  it('never logs a query, a sample or a referrer', async () => {
    await send(oldReport, 'application/csp-report');
    await send([
      newReport(),
      newReport({ blockedURL: `data:text/html,${secret}`, sourceFile: `javascript:${secret}` }),
    ]);
    expect(logged()).to.have.length(3);
    const log = JSON.stringify(app.lines);
    for (const kept of ['code=', 'session=', 'steal', 'innerHTML', 'Mozilla']) expect(log).not.to.include(kept);
    expect(logged()[2]).to.include({ blocked: 'data:', source: 'javascript:' });
  });

  it('cuts what is long', async () => {
    const long = 'x'.repeat(3000);
    const address = `https://${long.slice(0, 250)}.example/${long}`;
    await send([
      newReport({ effectiveDirective: long, blockedURL: address, sourceFile: address, documentURL: address }),
    ]);
    const [line] = logged();
    for (const value of [line?.directive, line?.blocked, line?.source, line?.page]) {
      expect(value).to.be.a('string').with.length.within(1, 200);
    }
  });

  it('logs at most five violations of one request', async () => {
    expect((await send(Array.from({ length: 20 }, () => newReport()))).status).to.equal(204);
    expect(logged()).to.have.length(5);
  });

  for (const [what, report, type] of [
    ['no JSON', 'garbage', 'application/csp-report'],
    ['no report', [null, 7, {}, { type: 'deprecation', body: {} }], 'application/reports+json'],
    ['another type, which a form can post', oldReport, 'text/plain'],
    ['nothing', '', 'application/reports+json'],
  ] as const) {
    it(`answers 204 to ${what}, and logs nothing of it`, async () => {
      expect((await send(report, type)).status).to.equal(204);
      expect(logged()).to.deep.equal([]);
    });
  }

  it('fills in what a report leaves open or has of another kind', async () => {
    await send([{ type: 'csp-violation', body: { lineNumber: 'seven', blockedURL: 'INLINE!' } }]);
    expect(logged()).to.deep.equal([
      { level: 40, directive: 'unknown', blocked: 'unknown', source: undefined, line: undefined, page: undefined },
    ]);
  });

  it('refuses a report over 16 KiB', async () => {
    const response = await send(JSON.stringify([newReport({ sample: 'x'.repeat(16 * 1024) })]));
    expect(response.status).to.equal(413);
    expect(await response.text()).to.equal('A report is over 16384 bytes.\n');
    expect(logged()).to.deep.equal([]);
  });

  it('admits 20 requests a minute of one address', async () => {
    expect(loadConfig({}).limits.violations).to.deep.equal({ requests: 20, windowSeconds: 60 });
    for (let count = 0; count < 20; count += 1) expect((await send('')).status).to.equal(204);
    const refused = await send([newReport()]);
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.equal('60');
    expect(logged()).to.deep.equal([]);
    expect((await send('', undefined, { 'X-Forwarded-For': '203.0.113.9' })).status).to.equal(204);
  });

  it('takes POST only', async () => {
    const response = await fetch(`${app.url}/csp-reports`);
    expect(response.status).to.equal(405);
    expect(response.headers.get('allow')).to.equal('POST');
  });

  it('works while the database is down, and sets no cookie', async () => {
    const storage = await createTestDatabase();
    await storage.close();
    await using stranded = await createTestApp({ shared: { storage } });
    const response = await fetch(`${stranded.url}/csp-reports`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/csp-report', Cookie: 'advisory-chat=s%3Agone.c2lnbmF0dXJl' },
      body: JSON.stringify(oldReport),
    });
    expect(response.status).to.equal(204);
    expect(response.headers.getSetCookie()).to.deep.equal([]);
  });
});

describe('the Content-Security-Policy', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp();
  });
  after(() => app.close());

  it('lets pages load what is our own, make no markup of text, and report what breaks it', async () => {
    const { headers } = await fetch(app.url);
    expect(headers.get('content-security-policy')?.split(';')).to.have.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types own-worker',
      'report-uri /csp-reports',
      'report-to violations',
    ]);
    expect(headers.get('reporting-endpoints')).to.equal('violations="/csp-reports"');
  });
});
