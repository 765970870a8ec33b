import { expect } from 'chai';
import { describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { parseResponse, rawExchange } from '../../support/raw-http.ts';
import { createTestApp } from '../../support/test-app.ts';

const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const long = 'i'.repeat(15_000);
const cut = 'i'.repeat(128);

describe('the ids in a log line', () => {
  const app = ofSuite(() => createTestApp());

  /** Runs a request and gives the `count` lines that were logged of it. */
  async function linesOf(run: () => Promise<Response>, count = 1) {
    app.lines.length = 0;
    const response = await run();
    await response.text();
    await eventually(() => (app.lines.length >= count ? true : undefined));
    return { sentBack: response.headers.get('x-request-id'), lines: app.lines.splice(0) };
  }

  const get = (path: string, headers: Record<string, string>) => () =>
    fetch(app.url + path, { headers, redirect: 'manual' });

  it('are cut to 128 characters where they were sent, which the answer is not', async () => {
    const { sentBack, lines } = await linesOf(get('/nowhere', { 'X-Request-Id': long }));
    expect(sentBack).to.equal(long);
    expect(lines[0]).to.include({ requestId: cut });
  });

  it('are both on the line of a request whose body cannot be parsed, and of what is no request at all', async () => {
    app.lines.length = 0;
    const headers = [
      'Host: x',
      `X-Request-Id: ${long}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ];
    const head = ['POST /api/chat/demo HTTP/1.1', ...headers, '', 'no length', ''];
    await rawExchange(app.url, head.join('\r\n'));
    const broken = await eventually(() => app.lines.find(({ msg }) => msg === 'request not understood'));
    expect(broken.requestId).to.equal(cut);
    expect(broken.ownId).to.match(ulid);

    const answer = parseResponse(await rawExchange(app.url, 'garbage\r\n\r\n'));
    const [id] = answer.headers.filter(([name]) => name === 'x-request-id').map(([, value]) => value);
    const never = app.lines.find(({ requestId }) => requestId === id);
    expect(never).to.include({ msg: 'request not understood', ownId: id });
  });

  it('break no line and no terminal, and neither does the path, which is cut to 256 characters', async () => {
    app.lines.length = 0;
    const odd = '"quoted" \\ \u0085next \u009b31mred \t{"a":1}';
    await rawExchange(
      app.url,
      `GET /${'p'.repeat(9_000)} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${odd}\r\nConnection: close\r\n\r\n`,
    );
    const line = await eventually(() => app.lines.find(({ msg }) => msg === 'request'));
    expect(line.requestId).to.equal('"quoted" \\ \ufffdnext \ufffd31mred \t{"a":1}');
    expect(line.path).to.equal(`/${'p'.repeat(255)}`);
  });
});
