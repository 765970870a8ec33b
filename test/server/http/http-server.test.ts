import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { AppError } from '../../../server/app-error.ts';
import { createHttpServer, listen, type Timeouts } from '../../../server/http/http-server.ts';
import { formatError } from '../../../shared/errors.ts';
import { closing } from '../../support/closing.ts';
import { ulid } from '../../support/raw-http.ts';

const logger = pino({ level: 'silent' });
const post = 'POST / HTTP/1.1\r\nHost: x\r\n';

/** Exceeds the timeout of any test, so that only the tested timeout closes a connection. */
const never = 600_000;

async function start(listener: RequestListener, timeouts: Timeouts = {}) {
  const http = createHttpServer({ maxConnections: Infinity, timeouts, logger });
  http.serve(listener);
  const port = await listen(http.server, { host: '127.0.0.1', port: 0 });
  return closing({
    ...http,
    port,
    close() {
      http.server.close();
      http.connections.closeAll();
    },
  });
}

function send({ port }: { port: number }, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return socket;
}

/** Responds with the path, to `/first` only after another request. */
function answerFirstLast(): RequestListener {
  const { promise, resolve } = Promise.withResolvers<void>();
  return async ({ url }, response) => {
    if (url === '/first') await promise;
    else resolve();
    response.end(url);
  };
}

describe('the HTTP server', () => {
  it('emits `stalled` and disconnects if a client does not read its response, but keeps a client that waits for a slow response', async () => {
    const events: string[] = [];
    const { promise: disconnected, resolve: onDisconnect } = Promise.withResolvers<void>();
    const answer: RequestListener = (request, response) => {
      if (request.url === '/slow') return void disconnected.then(() => response.end('served'));
      for (const event of ['stalled', 'close']) response.once(event, () => events.push(event));
      response.once('close', onDisconnect).end(Buffer.alloc(20_000_000));
    };
    await using server = await start(answer, { stall: 100 });
    const slow = fetch(`http://127.0.0.1:${server.port}/slow`);
    const reader = send(server, 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n').pause();
    await disconnected;
    reader.destroy();
    expect(events).to.deep.equal(['stalled', 'close']);
    expect(await (await slow).text()).to.equal('served');
  });

  it('closes a connection with more than eight pending responses', async () => {
    const asked: (string | undefined)[] = [];
    await using server = await start(({ url }) => void asked.push(url));
    const socket = send(server, 'GET /one HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
    await text(socket).catch(() => '');
    expect(asked).to.have.length(8);
    expect(socket.closed).to.equal(true);
  });

  for (const [defect, bytes, status, sentence] of [
    ['invalid bytes', 'invalid\r\n\r\n', '400 Bad Request', 'The request is not valid HTTP.'],
    [
      'headers above 16 KiB',
      `GET / HTTP/1.1\r\nA: ${'a'.repeat(16_384)}`,
      '431 Request Header Fields Too Large',
      'The request headers are too large.',
    ],
    [
      'chunk extensions above 16 KiB',
      `${post}Transfer-Encoding: chunked\r\nX-Request-Id: mïne\r\n\r\n1;${'x'.repeat(16_385)}`,
      '413 Payload Too Large',
      'The request body is too large.',
    ],
    ['half a request', 'GET /', '408 Request Timeout', 'The request took too long to arrive.'],
  ] as const) {
    it(`sends ${status}, with a request id and security headers, in response to ${defect}`, async () => {
      await using server = await start(() => undefined, { headers: 100, request: 100, checkInterval: 100 });
      const answer = await text(send(server, bytes));
      const [, id] = /^X-Request-Id: (.*)\r$/m.exec(answer) ?? [];
      expect(id).to.match(bytes.includes('mïne') ? /^mïne$/ : ulid);
      expect(answer.split('\r\n')).to.deep.equal([
        `HTTP/1.1 ${status}`,
        `X-Request-Id: ${id}`,
        'Content-Type: text/plain; charset=utf-8',
        'X-Content-Type-Options: nosniff',
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
        `Content-Length: ${sentence.length + 1}`,
        'Connection: close',
        '',
        `${sentence}\n`,
      ]);
    });
  }

  it('closes the connection and writes nothing into a reply if invalid HTTP follows a pipelined request', async () => {
    await using server = await start(({ url }, response) => void (url === '/first' && response.write('half')));
    const pipelined = 'GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = send(server, `${pipelined}garbage\r\n\r\n`);
    expect(await text(socket).catch(() => '')).not.to.include('400 Bad Request');
  });

  it('closes every pending response if CONNECT closes the connection', async () => {
    const closed: Promise<unknown>[] = [];
    await using server = await start((_request, response) => void closed.push(once(response, 'close')));
    const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    await text(send(server, `${get}${get}${get}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`));
    expect(closed).to.have.length(3);
    await Promise.all(closed);
  });

  it('answers pipelined requests in order, each with its own request id', async () => {
    await using server = await start(answerFirstLast());
    const get = (id: string, fields: string) =>
      `GET /${id} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${fields}\r\n`;
    const received = await text(send(server, get('first', '') + get('second', 'Connection: close\r\n')));
    expect(
      [...received.matchAll(/^X-Request-Id: (.*)\r$|^\/(first|second)/gim)].map(([, id, body]) => id ?? body),
    ).to.deep.equal(['first', 'first', 'second', 'second']);
  });

  it('sends 100 Continue before it reads a body, but not during another response', async () => {
    await using server = await start(answerFirstLast());
    const expecting = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\n1`;
    expect(await text(send(server, expecting('/alone')))).to.match(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n.*\r\n\r\n\/alone$/s,
    );
    const pipelined = send(server, `GET /first HTTP/1.1\r\nHost: x\r\n\r\n${expecting('/second')}`);
    expect(await text(pipelined)).to.match(/\r\n\r\n\/firstHTTP\/1\.1 200 OK\r\n.*\r\n\r\n\/second$/s);
  });

  it('sends an error to each request without a response at the end of the grace period, and waits for the others', async () => {
    await using http = await start(({ url }, response) => {
      if (url === '/begun') response.write('half');
      else http.requests.failUnanswered(new AppError('UPSTREAM_OVERLOADED'));
    });
    const begun = await fetch(`http://127.0.0.1:${http.port}/begun`);
    let isFinished = false;
    const finished = http.requests.allFinished().then(() => {
      isFinished = true;
    });
    const failed = await fetch(`http://127.0.0.1:${http.port}/waiting`);
    expect([failed.status, failed.headers.get('connection')]).to.deep.equal([503, 'close']);
    expect(await failed.text()).to.equal(formatError('UPSTREAM_OVERLOADED'));
    await nextRound();
    expect(isFinished).to.equal(false);
    await begun.body?.cancel();
    await finished;
    await http.requests.allFinished();
  });

  it('limits the time for headers, requests, idle connections and clients that do not read, and the number of connections', () => {
    const { server } = createHttpServer({ logger, maxConnections: 7 });
    expect(server).to.include({
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      timeout: 60_000,
      maxHeadersCount: null,
      maxConnections: 7,
    });
  });
});

/**
 * Bytes that a client sends first, and bytes that it repeats until the connection closes, starting immediately or after
 * the response to the first. A server that closes a connection with unread bytes resets it, and a response that the
 * client has not read yet is lost.
 */
type RequestBytes = { first: string; repeatedBytes?: string; afterResponse?: boolean };

/** Clients that never close their connection, with the statuses that they receive. Only the timeouts of a row can end its connection. */
const holdingClients: Record<string, RequestBytes & { statuses: readonly number[]; timeouts?: Timeouts }> = {
  'sends nothing': { first: '', statuses: [408], timeouts: { headers: 100 } },
  'sends headers byte by byte': {
    first: 'GET / HTTP/1.1\r\nHost: x\r\nA: ',
    repeatedBytes: 'x',
    statuses: [408],
    timeouts: { headers: 100 },
  },
  'sends line breaks instead of a request': {
    first: '\r\n',
    repeatedBytes: '\r\n',
    statuses: [408],
    timeouts: { headers: 100 },
  },
  'sends a body byte by byte after a 405 response': {
    first: `${post}Content-Length: 100000\r\n\r\n`,
    repeatedBytes: 'x',
    afterResponse: true,
    statuses: [405, 408],
    timeouts: { headers: 1_000, request: 1_000 },
  },
  'sends chunk after chunk after a 405 response': {
    first: `${post}Transfer-Encoding: chunked\r\n\r\n`,
    repeatedBytes: '1\r\nx\r\n',
    afterResponse: true,
    statuses: [405, 408],
    timeouts: { headers: 1_000, request: 1_000 },
  },
  'stays connected after a 400 response': { first: 'invalid\r\n\r\n', statuses: [400] },
  'continues to send after a 431 response': {
    first: `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}`,
    repeatedBytes: 'x',
    statuses: [431],
  },
  'sends only line breaks after a request': {
    first: 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    repeatedBytes: '\r\n',
    afterResponse: true,
    statuses: [200],
    timeouts: { headers: 1_000, keepAlive: 100 },
  },
  'continues to send after an upgrade request': {
    first: 'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
    repeatedBytes: 'x',
    afterResponse: true,
    statuses: [200],
  },
};

/** Responds to GET with 200 and to everything else with 405, without reading the body. */
const startHasty = (timeouts: Timeouts = {}) =>
  start(
    ({ method }, response) => {
      response.statusCode = method === 'GET' ? 200 : 405;
      response.end();
    },
    // The client has a second to read an error response before the reset.
    { headers: never, request: never, checkInterval: 100, keepAlive: never, linger: 1_000, ...timeouts },
  );

/** Resolves with the statuses once the server has closed its socket. Until then the client does not close its side. */
async function hold(
  { server, port }: { server: Server; port: number },
  { first, repeatedBytes, afterResponse = false }: RequestBytes,
): Promise<number[]> {
  const accepted = once(server, 'connection');
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  client.on('data', (bytes) => {
    received += bytes;
  });
  client.on('error', () => undefined);
  const [socket] = await accepted;
  const closed = once(socket, 'close');
  // Rejects if the connection is reset.
  const readToEnd = once(client, 'end').catch(() => undefined);
  const answered = afterResponse && once(client, 'data');
  if (first !== '') client.write(first, 'latin1');
  await answered;
  const repeating = repeatedBytes && setInterval(() => client.write(repeatedBytes), 10);
  await Promise.all([closed, readToEnd]);
  if (repeating) clearInterval(repeating);
  client.destroy();
  return [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
}

describe('a connection', () => {
  for (const [behavior, { statuses, timeouts, ...sent }] of Object.entries(holdingClients)) {
    it(`is closed by the server if the client ${behavior}`, async () => {
      await using server = await startHasty(timeouts);
      expect(await hold(server, sent)).to.deep.equal(statuses);
    });
  }

  it('is closed after the response to an upgrade request, so that no pipelined request goes unanswered', async () => {
    await using server = await startHasty();
    for (const request of [
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc',
    ]) {
      const answer = await text(send(server, `${request}GET / HTTP/1.1\r\nHost: x\r\n\r\n`));
      expect(answer.match(/HTTP\/1\.1 \d+/g)).to.have.length(1);
      expect(answer).to.match(/^Connection: close\r$/m);
    }
  });
});

describe('the idle time of a connection', () => {
  const idleMilliseconds = 80_000;
  let clock: Clock;

  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
  });
  afterEach(() => clock.uninstall());

  it('starts again at the end of each response, and is suspended during a request', async () => {
    await using server = await start(({ url }, response) => {
      if (url === '/slow') clock.tick(2 * idleMilliseconds);
      response.end(url);
    });
    const accepted = once(server.server, 'connection');
    const client = connect(server.port, '127.0.0.1');
    const [socket] = await accepted;

    for (const path of ['/early', '/slow']) {
      clock.tick(idleMilliseconds - 1);
      expect(socket.destroyed).to.equal(false);
      client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await once(client, 'data');
    }
    clock.tick(idleMilliseconds - 1);
    expect(socket.destroyed).to.equal(false);
    clock.tick(1);
    expect(socket.destroyed).to.equal(true);
    client.destroy();
  });
});

describe('closeIdle', () => {
  const patient = { headers: never, request: never };

  for (const [state, sent] of [
    ['is silent', ''],
    ['has sent half of the headers', 'GET / HTTP/1.1\r\nHost: '],
  ] as const) {
    it(`closes a connection that ${state}`, async () => {
      await using http = await start(() => undefined, patient);
      const accepted = once(http.server, 'connection');
      const client = connect({ port: http.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
      const [socket] = await accepted;
      client.write(sent);
      const closed = once(socket, 'close');
      http.connections.closeIdle();
      await closed;
      client.destroy();
    });
  }

  it('leaves a connection open until its response has been sent', async () => {
    await using http = await start((_request, response) => {
      http.connections.closeIdle();
      response.once('close', http.connections.closeIdle).end('answered');
    }, patient);
    expect(await text(send(http, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'))).to.match(/\r\n\r\nanswered$/);
  });
});
