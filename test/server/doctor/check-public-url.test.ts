import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { checkPublicUrl } from '../../../server/doctor/check-public-url.ts';
import { listen } from '../../../server/http/http-server.ts';
import { formatAppendedError, formatError } from '../../../shared/errors.ts';

type RespondTo = (request: IncomingMessage, response: ServerResponse) => unknown;

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

async function serve(answer: RespondTo): Promise<number> {
  const server = createServer((request, response) => {
    response.setHeader('X-Request-Id', String(request.headers['x-request-id']));
    answer(request, response);
  });
  servers.push(server);
  return listen(server, { host: '127.0.0.1', port: 0 });
}

const closedPort = '9';

/**
 * Returns the findings if demo chat is answered by `answer` through the proxy and by `directly` on the service's own
 * port. Without `directly`, nothing listens on that port.
 */
async function findingsWith(answer: RespondTo, directly?: RespondTo, variables: Record<string, string> = {}) {
  const port = await serve(answer);
  const direct = directly === undefined ? closedPort : String(await serve(directly));
  return checkPublicUrl(loadConfig({ PUBLIC_URL: `http://127.0.0.1:${port}`, PORT: direct, ...variables }));
}

const streamed: RespondTo = (_request, response) => {
  response.writeHead(200, replyHeaders);
  return stream(response);
};
/** Responds as a service behind a proxy does, which relies on `X-Forwarded-Proto`. */
const streamedOverHttps: RespondTo = (request, response) =>
  request.headers['x-forwarded-proto'] === 'https' ? streamed(request, response) : response.writeHead(403).end();
const streamedByAnother: RespondTo = (request, response) => {
  response.setHeader('X-Request-Id', 'of another service');
  return streamed(request, response);
};
const unstreamedAfter =
  (milliseconds: number): RespondTo =>
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
  it('passes if chunks arrive unbuffered, and reports the time to the first text', async () => {
    const findings = await findingsWith(streamed, streamed);
    expect(findings.map(({ outcome }) => outcome)).to.deep.equal(['ok', 'ok']);
    expect(findings[0]?.text).to.match(
      /^Demo chat streams: 4 chunks in \d+ ms, the first after \d+ ms; directly from the service 4 chunks in \d+ ms, the first after \d+ ms\.$/,
    );
  });

  it('fails if a reply arrives all at once through the proxy, but streams directly from a service that requires HTTPS', async () => {
    const [streaming] = await findingsWith(unstreamedAfter(300), streamedOverHttps, { TRUST_PROXY: 'true' });
    expect(streaming?.outcome).to.equal('FAILED');
    expect(streaming?.text).to.match(
      /^A proxy buffers the reply: 1 chunk in .*; directly from the service 4 chunks in .*proxy_buffering off/,
    );
  });

  it('skips the check if the model replies all at once', async () => {
    for (const [publicly, directly] of [
      [unstreamedAfter(0), undefined],
      [unstreamedAfter(0), unstreamedAfter(0)],
      [unstreamedAfter(1_100), unstreamedAfter(1_100)],
    ] as const) {
      const [streaming] = await findingsWith(publicly, directly);
      expect(streaming?.outcome).to.equal('skipped');
      expect(streaming?.text).to.match(/^The model replies too fast to detect buffering: /);
    }
  });

  it('names both possible causes if a slow reply arrives all at once and the service is not reachable directly', async () => {
    const missing: RespondTo = (_request, response) => response.writeHead(404).end();
    for (const directly of [undefined, missing, streamedByAnother]) {
      const [streaming] = await findingsWith(unstreamedAfter(1_100), directly);
      expect(streaming?.outcome).to.equal('FAILED');
      expect(streaming?.text).to.match(/^The reply arrives all at once: .* A proxy buffers it, or the model/);
    }
  });

  it('fails if a proxy removes, changes or adds headers', async () => {
    const [, headers] = await findingsWith((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' });
      return stream(response);
    });
    expect(headers?.outcome).to.equal('FAILED');
    expect(headers?.text).to.include(
      'Cache-Control is no-cache instead of no-cache, no-transform; X-Accel-Buffering is absent instead of no.',
    );
  });

  it('fails if a reply ends with an error', async () => {
    const [streaming] = await findingsWith((_request, response) => {
      response.writeHead(200, replyHeaders);
      return stream(response, formatAppendedError('UPSTREAM_ERROR'));
    });
    expect(streaming?.outcome).to.equal('FAILED');
    expect(streaming?.text).to.match(/^The reply ended with UPSTREAM_ERROR /);
  });

  const refusals: [string, RespondTo, RegExp][] = [
    [
      'a redirect',
      (_request, response) => response.writeHead(301, { Location: 'https://example.com/' }).end(),
      /^PUBLIC_URL redirects to https:\/\/example\.com\/\./,
    ],
    ['HTTPS that the proxy does not report', (_request, response) => response.writeHead(403).end(), /TRUST_PROXY=true/],
    [
      'the rate limit',
      (_request, response) => response.writeHead(429, { 'Retry-After': '42' }).end(formatError('RATE_LIMITED', 42)),
      /^Demo chat returns 429 RATE_LIMITED\. Try again in 42 seconds/,
    ],
    [
      'an error of the model',
      (_request, response) => response.writeHead(502).end(formatError('UPSTREAM_ERROR')),
      /^Demo chat returns 502 UPSTREAM_ERROR\. See the log for request id [0-9A-Z]{26}\.$/,
    ],
  ];
  for (const [title, answer, text] of refusals) {
    it(`explains what to do about ${title}`, async () => {
      const findings = await findingsWith(answer);
      expect(findings).to.have.lengthOf(1);
      expect(findings[0]?.outcome).to.equal('FAILED');
      expect(findings[0]?.text).to.match(text);
    });
  }

  it('mentions TLS if the server at the address does not support TLS', async () => {
    const port = await serve((_request, response) => response.end());
    const [finding] = await checkPublicUrl(loadConfig({ PUBLIC_URL: `https://127.0.0.1:${port}` }));
    expect(finding?.outcome).to.equal('FAILED');
    expect(finding?.text).to.include('is unreachable').and.include('Check TLS');
  });
});
