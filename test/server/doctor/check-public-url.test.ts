import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { checkPublicUrl } from '../../../server/doctor/check-public-url.ts';
import { listen } from '../../../server/http/http-server.ts';
import { formatAppendedError, formatError } from '../../../shared/errors.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const replyHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
});

async function serve(answer: Answer): Promise<number> {
  const server = createServer((request, response) => {
    response.setHeader('X-Request-Id', String(request.headers['x-request-id']));
    answer(request, response);
  });
  servers.push(server);
  return listen(server, { host: '127.0.0.1', port: 0 });
}

/** A port on which nothing answers. */
const closedPort = '9';

/**
 * What the check finds where demo chat is answered by `answer` on the way that people take, which may be a proxy's doing, and
 * by `directly` where the service listens; without that, nothing listens there.
 */
async function findingsWith(answer: Answer, directly?: Answer) {
  const port = await serve(answer);
  const direct = directly === undefined ? closedPort : String(await serve(directly));
  return checkPublicUrl(loadConfig({ PUBLIC_URL: `http://127.0.0.1:${port}`, PORT: direct }));
}

const streamed: Answer = (_request, response) => {
  response.writeHead(200, replyHeaders);
  return stream(response);
};
const atOnceAfter =
  (milliseconds: number): Answer =>
  async (_request, response) => {
    await delay(milliseconds);
    response.writeHead(200, replyHeaders).end('one two three four');
  };

async function stream(response: ServerResponse, ending = '') {
  for (const number of ['one ', 'two ', 'three ', 'four ']) {
    response.write(number);
    await delay(100);
  }
  response.end(ending);
}

describe('checkPublicUrl', () => {
  it('finds nothing wrong where pieces arrive as they are sent, and says when the first text came', async () => {
    const findings = await findingsWith(streamed, streamed);
    expect(findings.map(({ outcome }) => outcome)).to.deep.equal(['ok', 'ok']);
    expect(findings[0]?.text).to.match(
      /^Demo chat streams: 4 chunks in \d+ ms, the first after \d+ ms; directly from the service 4 chunks in \d+ ms, the first after \d+ ms\.$/,
    );
  });

  it('finds that a reply which comes all at once, and in pieces from the service, was buffered', async () => {
    const [streaming] = await findingsWith(atOnceAfter(300), streamed);
    expect(streaming?.outcome).to.equal('FAILED');
    expect(streaming?.text).to.match(
      /^Something on the way buffers the reply: 1 chunk in .*; directly from the service 4 chunks in .*proxy_buffering off/,
    );
  });

  it('does not blame the proxy for a model that answers all at once', async () => {
    for (const [publicly, directly] of [
      [atOnceAfter(0), undefined],
      [atOnceAfter(0), atOnceAfter(0)],
      [atOnceAfter(1_100), atOnceAfter(1_100)],
    ] as const) {
      const [streaming] = await findingsWith(publicly, directly);
      expect(streaming?.outcome).to.equal('skipped');
      expect(streaming?.text).to.match(
        /^Whether something on the way buffers cannot be told, the model answers too fast: /,
      );
    }
  });

  it('names both causes of a slow reply that comes all at once where the service cannot be asked directly', async () => {
    for (const directly of [undefined, ((_request, response) => response.writeHead(404).end()) satisfies Answer]) {
      const [streaming] = await findingsWith(atOnceAfter(1_100), directly);
      expect(streaming?.outcome).to.equal('FAILED');
      expect(streaming?.text).to.match(
        /^The reply comes all at once: .* Something on the way buffers it, or the model/,
      );
    }
  });

  it('finds headers that were removed, changed or added', async () => {
    const [, headers] = await findingsWith((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' });
      return stream(response);
    });
    expect(headers?.outcome).to.equal('FAILED');
    expect(headers?.text).to.include(
      'Cache-Control is no-cache instead of no-cache, no-transform; X-Accel-Buffering is absent instead of no.',
    );
  });

  it('finds that a reply broke off', async () => {
    const [streaming] = await findingsWith((_request, response) => {
      response.writeHead(200, replyHeaders);
      return stream(response, formatAppendedError('UPSTREAM_ERROR'));
    });
    expect(streaming?.outcome).to.equal('FAILED');
    expect(streaming?.text).to.match(/^The reply broke off with UPSTREAM_ERROR /);
  });

  const refusals: [string, Answer, RegExp][] = [
    [
      'a redirect',
      (_request, response) => response.writeHead(301, { Location: 'https://example.com/' }).end(),
      /^It redirects to https:\/\/example\.com\/\./,
    ],
    ['HTTPS that the proxy did not report', (_request, response) => response.writeHead(403).end(), /TRUST_PROXY=true/],
    [
      'the limit',
      (_request, response) => response.writeHead(429, { 'Retry-After': '42' }).end(formatError('RATE_LIMITED', 42)),
      /^Demo chat answers 429 RATE_LIMITED\. Try again in 42 seconds/,
    ],
    [
      'a failure of the model',
      (_request, response) => response.writeHead(502).end(formatError('UPSTREAM_ERROR')),
      /^Demo chat answers 502 UPSTREAM_ERROR\. The log has the reason, by request id [0-9A-Z]{26}\.$/,
    ],
  ];
  for (const [what, answer, text] of refusals) {
    it(`says what to do about ${what}`, async () => {
      const findings = await findingsWith(answer);
      expect(findings).to.have.lengthOf(1);
      expect(findings[0]?.outcome).to.equal('FAILED');
      expect(findings[0]?.text).to.match(text);
    });
  }

  it('names TLS where the address speaks none', async () => {
    const port = await serve((_request, response) => response.end());
    const [finding] = await checkPublicUrl(loadConfig({ PUBLIC_URL: `https://127.0.0.1:${port}` }));
    expect(finding?.outcome).to.equal('FAILED');
    expect(finding?.text).to.include('cannot be reached').and.include('Check TLS');
  });
});
