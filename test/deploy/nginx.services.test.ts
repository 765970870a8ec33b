import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, request as plainRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { connect, isIPv4 } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { bodyLimits } from '../../shared/body-limits.ts';
import { capacitySentences, formatError } from '../../shared/errors.ts';
import { eventually } from '../support/eventually.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { perSuite } from '../support/per-suite.ts';
import { parseResponse } from '../support/raw-http.ts';
import { createTestApp, question } from '../support/test-app.ts';
import { proxyHost as host, type ShippedProxy, startShippedProxy } from './shipped-proxy.ts';

/** The options of a connection over TLS. */
const secureTo = ({ port, ca }: Pick<ShippedProxy, 'port' | 'ca'>) => ({
  ...{ host: '127.0.0.1', port, servername: host, ca },
  ...{ agent: false as const, headers: { Host: host } },
});

async function receive(call: ClientRequest) {
  const [response]: IncomingMessage[] = await once(call, 'response');
  if (response === undefined) throw new Error('There is no response.');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

function clientOf(proxy: Pick<ShippedProxy, 'port' | 'ca'>) {
  return async (path: string, headers: Record<string, string> = {}, body?: string, localAddress = '127.0.0.1') => {
    const method = body === undefined ? 'GET' : 'POST';
    const call = request({ ...secureTo(proxy), path, localAddress, method, headers: { Host: host, ...headers } });
    call.end(body);
    return receive(call);
  };
}

describe('docs/deploy/nginx.conf', () => {
  const app = perSuite(() => createTestApp({ production: true, trustProxy: true, publicUrl: `https://${host}` }));
  const proxy = perSuite(() => startShippedProxy({ addresses: ['127.0.0.1'], port: Number(new URL(app.url).port) }));
  const send = clientOf(proxy);

  async function completesHandshake(options: ConnectionOptions): Promise<boolean> {
    const socket: TLSSocket = connectTls({ ...secureTo(proxy), ...options });
    try {
      await once(socket, 'secureConnect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  it('rejects any host name except the configured one, in TLS and in the Host header', async () => {
    expect(await completesHandshake({})).to.equal(true);
    expect(await completesHandshake({ servername: 'elsewhere.example', rejectUnauthorized: false })).to.equal(false);
    const others = { Host: 'elsewhere.example', 'X-Request-Id': 'of another host' };
    const refused = await send('/auth/session', others).catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'ECONNRESET');
    expect((await proxy.log()).map(({ requestId }) => requestId)).not.to.include('of another host');
  });

  it('sends the service the host of the request target and the address of the connection, but no trace of the client', async () => {
    const seen: IncomingHttpHeaders[] = [];
    app.server.on('request', ({ headers }) => seen.push(headers));
    const forged = { Host: 'elsewhere.example', 'X-Forwarded-For': '203.0.113.1' };
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b' };
    const { status } = await send(`https://${host}/auth/session`, { ...forged, ...trace }, undefined, '127.0.0.2');
    expect(status).to.equal(200);
    expect(seen).to.have.length(1);
    expect(seen[0]).to.include({ host, 'x-forwarded-for': '127.0.0.2' });
    expect(seen[0]).not.to.have.any.keys('traceparent', 'tracestate');
  });

  it('forwards a response with a request id of 14 KiB', async () => {
    const id = 'x'.repeat(14 * 1024);
    const { status, headers } = await send('/auth/session', { 'X-Request-Id': id });
    expect([status, headers['x-request-id']]).to.deep.equal([200, id]);
  });

  it('streams a reply over HTTP/2 while it answers another request on the same connection', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Begun' }, { wait: promise }, { text: ', done.' }] });
    const options = { ...secureTo(proxy), ALPNProtocols: ['h2'] };
    const session = connectHttp2(`https://${host}`, { createConnection: () => connectTls(options) });
    const to = (path: string, others = {}) => session.request({ ':authority': host, ':path': path, ...others });
    try {
      const reply = to('/api/chat/demo', { ':method': 'POST', 'content-type': 'application/json' });
      reply.setEncoding('utf8').end(JSON.stringify(question()));
      const [replyHeaders] = await once(reply, 'response');
      expect(replyHeaders).to.include({ 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
      expect(await once(reply, 'data')).to.deep.equal(['Begun']);
      const [headers] = await once(to('/auth/session').resume(), 'response');
      expect(headers[':status']).to.equal(200);
      resolve();
      expect(await text(reply)).to.equal(', done.');
    } finally {
      session.destroy();
      app.provider.reset();
    }
  });

  it('serves IPv6 too, over HTTPS and with the redirect', async () => {
    const call = request({ ...secureTo(proxy), host: '::1', path: '/healthz' });
    call.end();
    expect(await receive(call)).to.include({ status: 200, body: '{"status":"ok"}' });
    const plain = plainRequest({ host: '::1', port: proxy.plainPort, agent: false, headers: { Host: host } });
    plain.end();
    expect(await receive(plain)).to.have.property('status', 301);
  });

  it('accepts TLS 1.2 and 1.3, only with forward secrecy and authenticated encryption', async () => {
    const twelve = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
    expect(await completesHandshake({ minVersion: 'TLSv1.3' })).to.equal(true);
    expect(await completesHandshake({ ...twelve, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })).to.equal(true);
    for (const ciphers of ['AES128-GCM-SHA256', 'AES256-SHA', 'ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384']) {
      expect(await completesHandshake({ ...twelve, ciphers }), ciphers).to.equal(false);
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await completesHandshake(old), 'TLS 1.1').to.equal(false);
  });

  it('resumes a TLS session by its id, not by a ticket', async () => {
    const options = { ...secureTo(proxy), maxVersion: 'TLSv1.2' } as const;
    const first = connectTls(options);
    await once(first, 'secureConnect');
    const [session, ticket] = [first.getSession(), first.getTLSTicket()];
    first.destroy();
    const second = connectTls({ ...options, ...(session && { session }) });
    await once(second, 'secureConnect');
    expect([ticket, second.isSessionReused()]).to.deep.equal([undefined, true]);
    second.destroy();
  });

  it('adds a request id and security headers to its own responses, but not to those of the service', async () => {
    const own = await send('/onboarding', { 'X-Request-Id': 'mine' }, 'x'.repeat(100_000));
    expect([own.status, own.body]).to.deep.equal([413, 'The request body is too large.']);
    expect(own.headers).to.include({
      'content-type': 'text/plain; charset=utf-8',
      'x-request-id': 'mine',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
    const { headers } = await send('/auth/session');
    // Several headers of one name are joined by commas.
    expect(headers['content-security-policy']).to.match(/^default-src 'none';[^,]*script-src 'self'[^,]*$/);
    const transport = { 'strict-transport-security': 'max-age=31536000' };
    expect(headers).to.include({ server: 'nginx', 'x-content-type-options': 'nosniff', ...transport });
  });

  it('forwards headers of up to 16 KiB, and responds to larger ones as the service does', async () => {
    for (const path of ['/auth/session', `/auth/session?${'x'.repeat(2_000)}`]) {
      expect((await send(path, { Cookie: 'x'.repeat(13_000) })).status).to.equal(200);
    }
    const refused = await send('/', { A: 'x'.repeat(7_000), B: 'x'.repeat(7_000), C: 'x'.repeat(7_000) });
    expect([refused.status, refused.body]).to.deep.equal([431, 'The request headers are too large.']);
    expect(refused.headers).to.have.property('content-type', 'text/plain; charset=utf-8');
    expect(refused.headers['x-request-id']).to.match(/^\w{32}$/);
  });

  describe('while a body arrives', () => {
    /** Sends the headers and the first byte of the body, and returns the response that arrives before the rest. */
    async function begin(path: string, bytes: number) {
      const headers = { Host: host, 'Content-Type': 'application/json', 'Content-Length': bytes };
      const call = request({ ...secureTo(proxy), path, method: 'POST', headers });
      call.on('error', () => undefined);
      call.write('{');
      return receive(call).finally(() => call.destroy());
    }

    it('refuses a body above 64 KiB, or above 256 KiB on demo chat, before it has arrived', async () => {
      for (const path of ['/onboarding', '/auth/join', '/', '/api/chat/another']) {
        expect((await begin(path, 65_537)).status, path).to.equal(413);
      }
      expect((await begin('/api/chat/demo', bodyLimits.demoChat + 1)).status).to.equal(413);
    });

    it('forwards a refusal that the service sends before the body has arrived completely', async () => {
      for (const path of ['/api/chat', '/onboarding']) {
        const { status, headers } = await begin(path, 60_000);
        expect(status, path).to.equal(401);
        expect(headers['x-request-id']).to.match(/^\w{26}$/);
      }
    });

    it('delivers a response that the service sends early, even if the client continues to send the body', async () => {
      const json = { 'Content-Type': 'application/json' };
      const { maxBodyBytes } = loadConfig({});
      for (let times = 0; times < 30; times += 1) {
        expect((await send('/api/chat', json, 'x'.repeat(maxBodyBytes + 1))).status).to.equal(401);
      }
      const largest = await send('/api/chat/demo', json, 'x'.repeat(bodyLimits.demoChat));
      expect([largest.status, largest.body]).to.deep.equal([400, formatError('INVALID_JSON')]);
    });
  });

  it('allows each worker enough files for its connections', async () => {
    const configuration = await readFile(proxy.parameters.at(-1) ?? '', 'utf8');
    const connections = Number(/worker_connections (\d+);/.exec(configuration)?.[1]);
    const [worker] = (await readFile(`/proc/${proxy.pid}/task/${proxy.pid}/children`, 'utf8')).split(' ');
    const files = /^Max open files +(\d+)/m.exec(await readFile(`/proc/${worker}/limits`, 'utf8'))?.[1];
    expect(Number(files)).to.be.above(connections);
  });

  describe('over plain HTTP', () => {
    async function open(path: string, method = 'GET', name = host) {
      const headers = { Host: name, Connection: 'keep-alive' };
      const call = plainRequest({ host: '127.0.0.1', port: proxy.plainPort, path, method, headers, agent: false });
      call.end();
      return receive(call);
    }

    it('redirects pages to HTTPS, and closes the connection', async () => {
      const { status, headers } = await open('/sign-in?invitation=1');
      expect([status, headers.location]).to.deep.equal([301, `https://${host}/sign-in?invitation=1`]);
      expect(headers).to.have.property('connection', 'close');
      expect(headers).not.to.have.property('strict-transport-security');
      expect(headers['x-request-id']).to.match(/^\w+$/);
    });

    it('refuses a POST or an API request, whose content has already been sent in plain text', async () => {
      for (const [path, method] of [
        ['/api/chat/demo', 'POST'],
        ['/onboarding', 'POST'],
        ['/api/chat', 'GET'],
      ] as const) {
        expect((await open(path, method)).status, path).to.equal(403);
      }
    });

    it('closes a connection with unfinished headers sooner than it does over HTTPS', async () => {
      const port = Number(new URL(app.url).port);
      await using opened = new AsyncDisposableStack();
      const changes = { 'client_header_timeout 5s': 'client_header_timeout 200ms' };
      const hasty = await startShippedProxy({ addresses: ['127.0.0.1'], port }, changes);
      opened.defer(hasty.close);
      for (const sent of ['', `GET / HTTP/1.1\r\nHost: ${host}\r\n`]) {
        const socket = connect(hasty.plainPort, '127.0.0.1');
        socket.on('error', () => undefined).write(sent);
        await new Promise((resolve) => socket.once('close', resolve));
      }
    });

    it('serves ACME challenges', async () => {
      await writeFile(join(proxy.challenges, 'a-token'), 'a proof');
      const { status, body } = await open('/.well-known/acme-challenge/a-token');
      expect([status, body]).to.deep.equal([200, 'a proof']);
      expect((await open('/.well-known/acme-challenge/another')).status).to.equal(404);
    });

    it('rejects any host name except the configured one', async () => {
      const refused = await open('/', 'GET', 'elsewhere.example').catch((error: unknown) => error);
      expect(refused).to.have.property('code', 'ECONNRESET');
    });
  });
});

describe('docs/deploy/nginx.conf with two instances', () => {
  const addresses = ['127.0.0.1', '127.0.0.2'];
  let opened: AsyncDisposableStack;
  let port: number;
  let send: ReturnType<typeof clientOf>;
  let proxy: ShippedProxy;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    port = await findNonEphemeralPort();
    proxy = await start();
    send = clientOf(proxy);
  });
  afterEach(() => opened.disposeAsync());

  const start = async (changes: Record<string, string> = {}) =>
    opened.adopt(await startShippedProxy({ addresses, port }, changes), ({ close }) => close());

  async function listen(address: string, listener: RequestListener, ownPort = port): Promise<void> {
    const server = createServer(listener).listen(ownPort, address);
    await once(server, 'listening');
    opened.defer(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
  }

  async function listenOnBoth(listener: RequestListener): Promise<void> {
    for (const address of addresses) await listen(address, listener);
  }

  it('sends every request to the other instance while one instance refuses connections', async () => {
    await listen('127.0.0.2', (_request, response) => void response.setHeader('X-Request-Id', 'its own').end('here'));
    for (let times = 0; times < 20; times += 1) {
      const { status, body, headers } = await send('/api/chat/demo', {}, '{}');
      expect([status, body, headers['x-request-id']]).to.deep.equal([200, 'here', 'its own']);
    }
  });

  const overloaded = `UPSTREAM_OVERLOADED: ${capacitySentences.service}`;
  for (const [fault, fail, sentence] of [
    ['closes the connection', (response) => response.destroy(), overloaded],
    ['does not respond in time', () => undefined, overloaded],
    [
      'responds with 503',
      (response) => response.writeHead(503, { 'X-Request-Id': 'its own' }).end('its own sentence'),
      'its own sentence',
    ],
  ] as [string, (response: ServerResponse) => void, string][]) {
    it(`retries a GET on the other instance, but no POST, if an instance ${fault}`, async () => {
      const hasty = await start({ 'proxy_read_timeout 130s': 'proxy_read_timeout 300ms' });
      const asked: string[] = [];
      await listenOnBoth(({ method = '' }, response) => {
        asked.push(method);
        if (asked.length === 3) response.end('here');
        else fail(response);
      });
      expect(await clientOf(hasty)('/api/chat/demo', {}, '{}')).to.include({ status: 503, body: sentence });
      expect(asked).to.deep.equal(['POST']);
      expect(await clientOf(hasty)('/auth/session')).to.include({ status: 200, body: 'here' });
      expect(asked).to.deep.equal(['POST', 'GET', 'GET']);
      expect((await hasty.log()).filter(({ instanceStatus }) => instanceStatus === '503')).to.deep.equal([]);
    });
  }

  it('cuts the response to the client short if the instance cuts it short', async () => {
    await listen('127.0.0.1', (_request, response) => void response.write('Begun', () => response.destroy()));
    const cut = await send('/api/chat/demo', {}, '{}').catch((error: unknown) => error);
    expect(cut).to.have.property('code', 'ECONNRESET');
  });

  it('requests an asset from both instances, and serves it from the cache once neither instance has it', async () => {
    const assets = new Map(addresses.map((address) => [address, `/assets/of-${address}.js`]));
    const asked: string[] = [];
    let removed = false;
    for (const [address, asset] of assets) {
      await listen(address, ({ url = '' }, response) => {
        asked.push(url);
        response.setHeader('X-Request-Id', `id ${asked.length}`);
        if (url === asset && !removed) response.setHeader('Cache-Control', 'public, max-age=31536000').end(address);
        else response.writeHead(404).end('nothing');
      });
    }
    for (const [address, asset] of assets) {
      const { status, body, headers } = await send(asset);
      expect([status, body]).to.deep.equal([200, address]);
      expect(headers['x-request-id']).to.equal(`id ${asked.length}`);
    }
    expect((await send('/assets/nobody-has-it.js')).status).to.equal(404);

    removed = true;
    const before = asked.length;
    for (const [address, asset] of assets) {
      const { status, body, headers } = await send(asset, { 'X-Request-Id': 'mine' });
      expect([status, body, headers['x-request-id']]).to.deep.equal([200, address, 'mine']);
    }
    expect(asked.slice(before), 'fetched again, which keeps another copy').to.deep.equal([]);
  });

  it('serves an asset that has expired in the cache as long as no instance has it, with the id of the request', async () => {
    const brief = await start({ 'proxy_cache_valid        200 30d': 'proxy_cache_valid        200 1s' });
    let asked = 0;
    await listenOnBoth((_request, response) => {
      asked += 1;
      if (asked === 1) response.setHeader('X-Request-Id', 'of the first').end('the asset');
      else response.writeHead(404).end('nothing');
    });
    const get = async () => {
      const { status, body, headers } = await clientOf(brief)('/assets/a.js', { 'X-Request-Id': 'mine' });
      return [status, body, headers['x-request-id']];
    };
    expect(await get()).to.deep.equal([200, 'the asset', 'of the first']);
    const later = await eventually(async () => {
      const answer = await get();
      return asked > 1 ? answer : undefined;
    });
    expect(later).to.deep.equal([200, 'the asset', 'mine']);
  });

  it('forwards text as it arrives, even without X-Accel-Buffering', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    await listen('127.0.0.1', (_request, response) => {
      response.write('Begun');
      held.resolve(response);
    });
    const call = request({ ...secureTo(proxy), path: '/auth/session' });
    call.end();
    const [response] = await once(call, 'response');
    expect(String((await once(response, 'data'))[0])).to.equal('Begun');
    (await held.promise).end(', done.');
    expect(await text(response)).to.equal(', done.');
  });

  it('requests and caches an asset in the best encoding that the client accepts', async () => {
    await listen('127.0.0.1', ({ headers }, response) => {
      response.setHeader('Vary', 'Accept-Encoding').end(headers['accept-encoding'] ?? 'none');
    });
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['identity', 'none'],
      ['br', 'br'],
    ] as const) {
      const { body } = await send('/assets/a.js', { 'Accept-Encoding': accepted });
      expect(body, accepted).to.equal(encoding);
    }
  });

  const byCdn = 'set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For; limit_conn_zone';
  for (const [title, changes, [client, same, other]] of [
    ['client address', {}, ['127.0.0.1', '127.0.0.1', '127.0.0.2']],
    [
      '/64 network of an IPv6 address, here one that a CDN reports',
      { limit_conn_zone: byCdn },
      // The byte 0x0a is a line feed, which `.` does not match by default.
      ['2001:db8:a0a:1::1', '2001:db8:a0a:1:ffff:ffff:ffff:a', '2001:db8:a0a:2::1'],
    ],
  ] as const) {
    it(`limits the requests in flight of each ${title}`, async () => {
      const limited = await start({ 'addresses 500;': 'addresses 1;', ...changes });
      const held = Promise.withResolvers<ServerResponse>();
      await listen('127.0.0.1', ({ url, headers }, response) => {
        response.setHeader('X-Request-Id', String(headers['x-forwarded-for']));
        if (url === '/held') held.resolve(response);
        else response.end();
      });
      const sendFrom = (address: string, path = '/auth/session') =>
        clientOf(limited)(path, { 'X-Forwarded-For': address }, undefined, isIPv4(address) ? address : '127.0.0.1');
      const first = sendFrom(client, '/held');
      const response = await held.promise;
      expect((await sendFrom(same)).status).to.equal(503);
      const answered = await sendFrom(other);
      expect([answered.status, answered.headers['x-request-id']]).to.deep.equal([200, other]);
      response.end();
      expect((await first).status).to.equal(200);
    });
  }

  it('prefers the instance with fewer requests in flight, so that a hanging one does not get half of the requests', async () => {
    const ports = [await findNonEphemeralPort(), await findNonEphemeralPort()] as const;
    const balanced = opened.adopt(await startShippedProxy({ ports }), ({ close }) => close());
    const held = Promise.withResolvers<ServerResponse>();
    let hangs = true;
    for (const [index, own] of ports.entries()) {
      const answer: RequestListener = (_request, response) => {
        if (hangs) held.resolve(response);
        else response.end(String(index));
        hangs = false;
      };
      await listen('127.0.0.1', answer, own);
    }
    const sendBalanced = clientOf(balanced);
    const first = sendBalanced('/auth/session');
    const response = await held.promise;
    const answers = [];
    for (let times = 0; times < 8; times += 1) answers.push((await sendBalanced('/auth/session')).body);
    expect(new Set(answers)).to.have.lengthOf(1);
    response.end('late');
    expect((await first).body).to.equal('late');
  });

  it('fetches an asset only once for simultaneous requests', async () => {
    const readers = 10;
    let asked = 0;
    let connected = 0;
    let answer = () => {};
    await listen('127.0.0.1', (_request, response) => {
      asked += 1;
      answer = () => response.end('the asset');
      if (connected === readers) answer();
    });
    const answers = await Promise.all(
      Array.from({ length: readers }, async () => {
        const call = request({ ...secureTo(proxy), path: '/assets/a.js' });
        call.end();
        const answered = receive(call);
        await once(call, 'finish');
        connected += 1;
        if (connected === readers) answer();
        return (await answered).body;
      }),
    );
    expect(answers).to.deep.equal(Array.from({ length: readers }, () => 'the asset'));
    expect(asked).to.equal(1);
  });

  describe('when no instance is reachable', () => {
    /** Waits for the log line of a request, which nginx writes after the response. */
    const logged = (requestId: unknown) =>
      eventually(async () => (await proxy.log()).find((line) => line.requestId === requestId));

    it('responds with UPSTREAM_OVERLOADED and a request id, and logs the id', async () => {
      for (const [path, body] of [['/api/chat/demo', '{}'], ['/auth/session'], ['/assets/main.js']]) {
        const { status, headers, body: text } = await send(path ?? '', { Accept: '*/*' }, body);
        expect([status, text], path).to.deep.equal([503, overloaded]);
        expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
        expect(headers).not.to.have.property('retry-after');
        expect(headers['x-request-id']).to.match(/^\w{32}$/);
        const line = await logged(headers['x-request-id']);
        expect(line).to.include({ path, status: 503 });
        expect(line.instanceStatus).to.match(/^502/);
      }
      await send('/auth/session', { 'X-Request-Id': 'mine' });
      expect(await logged('mine')).to.include({ path: '/auth/session', method: 'GET' });
    });

    it('responds to a page request with an HTML page', async () => {
      const { status, headers, body } = await send('/chat', { Accept: 'text/html,application/xhtml+xml' });
      expect([status, headers['content-type']]).to.deep.equal([503, 'text/html; charset=utf-8']);
      expect(body).to.include('The service cannot be reached right now.');
      expect(headers).to.include({
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
      });
      const ofInterface = await send('/api/chat', { Accept: 'text/html' });
      expect(ofInterface.headers['content-type']).to.equal('text/plain; charset=utf-8');
    });

    it('accepts only request ids of printable ASCII, and logs only printable ASCII of a path', async () => {
      for (const [id, path, loggedPath] of [
        ['\u009b31m', '/c/%C2%9B31m', '/c/%C2%9B31m'],
        ['\u00e2\u0080\u00ae', '/c/%E2%80%AEx?a', '/c/%E2%80%AEx'],
        ['mine', '/c/\u00c2\u009b31m', '/c/'],
      ] as const) {
        const socket = connectTls(secureTo(proxy));
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
          'latin1',
        );
        const { headers } = parseResponse(await text(socket));
        const answeredId = new Map(headers).get('x-request-id');
        expect(answeredId).to.match(id === 'mine' ? /^mine$/ : /^\w{32}$/);
        expect(await logged(answeredId)).to.include({ path: loggedPath });
      }
    });

    it('logs neither the query nor the client address', async () => {
      await send('/auth/github/callback?code=a-sign-in-code', { 'X-Request-Id': 'mine' }, undefined, '127.0.0.9');
      expect(await logged('mine')).to.include({ method: 'GET', path: '/auth/github/callback' });
      const everything = JSON.stringify(await proxy.log()) + (await proxy.errorLog());
      expect(everything).not.to.include('a-sign-in-code');
      expect(everything).not.to.include('127.0.0.9');
    });
  });
});
