import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createHttpServer, type HttpServer, listen } from '../../../../server/http/process/http-server.ts';
import { parseResponse } from '../../../support/raw-http.ts';

const logger = pino({ level: 'silent' });

describe('the HTTP server', () => {
  const started: HttpServer[] = [];

  afterEach(() => {
    for (const server of started.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  function start(options: Parameters<typeof createHttpServer>[0]) {
    const created = createHttpServer(options);
    started.push(created.server);
    return created;
  }

  it('answers a request that never arrives whole with 408 and a request id, and serves others meanwhile', async () => {
    const { server, serve } = start({ logger, headersTimeout: 100, requestTimeout: 200 });
    serve((_request, response) => response.end('served'));
    const port = await listen(server, { host: '127.0.0.1', port: 0 });

    const slow = connect(port, '127.0.0.1');
    slow.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).to.equal('served');
    const { status, headers, body } = parseResponse(await text(slow));
    expect(status).to.equal(408);
    expect(headers.filter(([name]) => name === 'x-request-id')).to.have.length(1);
    expect(body).to.equal('The request took too long to arrive.\n');
  });

  it('cuts off a reader who takes nothing of a whole answer, and nobody whose request is still worked on', async () => {
    const { server, serve } = start({ logger, stallTimeout: 100 });
    const { promise: cut, resolve: isCut } = Promise.withResolvers<void>();
    serve((request, response) => {
      if (request.url === '/slow') return void cut.then(() => response.end('served'));
      response.once('close', isCut).end(Buffer.alloc(20_000_000));
    });
    const port = await listen(server, { host: '127.0.0.1', port: 0 });

    const slow = fetch(`http://127.0.0.1:${port}/slow`);
    const reader = connect(port, '127.0.0.1').pause();
    reader.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await cut;
    reader.destroy();
    expect(await (await slow).text()).to.equal('served');
  });

  it('closes a connection on which more than eight answers wait', async () => {
    const { server, serve } = start({ logger });
    const asked: (string | undefined)[] = [];
    serve(({ url }) => void asked.push(url));
    const port = await listen(server, { host: '127.0.0.1', port: 0 });

    const socket = connect(port, '127.0.0.1');
    socket.write('GET /one HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
    await text(socket).catch(() => '');
    expect(asked).to.have.length(8);
    expect(socket.closed).to.equal(true);
  });

  it('refuses more connections of an address than it may have, until one of them ends, and lets others in', async () => {
    const { server, serve } = start({ logger, maxConnectionsPerAddress: 2 });
    serve((_request, response) => response.end('served'));
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    /** Opens one connection after the other, and asks on it. */
    async function open(localAddress: string) {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const accepted = await new Promise<Socket>((resolve) => server.once('connection', resolve));
      return { socket, accepted };
    }
    const served = async ({ socket }: { socket: Socket }) =>
      expect(String(await once(socket, 'data'))).to.include('served');

    const first = await open('127.0.0.2');
    const second = await open('127.0.0.2');
    const refused = await open('127.0.0.2');
    const neighbour = await open('127.0.0.3');
    await Promise.all([served(first), served(second), served(neighbour), once(refused.socket, 'close')]);
    const closed = once(first.accepted, 'close');
    first.socket.destroy();
    await closed;
    const newcomer = await open('127.0.0.2');
    await served(newcomer);
    for (const { socket } of [second, neighbour, newcomer]) socket.destroy();
  });

  it('cuts a connection that turns to garbage in mid-reply, and writes nothing into the reply', async () => {
    const { server, serve } = start({ logger });
    serve((_request, response) => void response.write('half'));
    const port = await listen(server, { host: '127.0.0.1', port: 0 });

    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [first] = await once(socket, 'data');
    socket.write('garbage\r\n\r\n');
    const rest = await text(socket).catch(() => '');
    expect(String(first) + rest).to.match(/4\r\nhalf\r\n$/);
  });

  it('ends every answer of a connection with it, also those that wait behind another when CONNECT comes', async () => {
    const { server, serve } = start({ logger });
    const closed: Promise<unknown>[] = [];
    serve((_request, response) => void closed.push(once(response, 'close')));
    const port = await listen(server, { host: '127.0.0.1', port: 0 });

    const socket = connect(port, '127.0.0.1');
    const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(`${get}${get}${get}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await text(socket);
    expect(closed).to.have.length(3);
    await Promise.all(closed);
  });

  it('asks for a body with 100 Continue, and never in the middle of an answer', async () => {
    const { server, serve } = start({ logger });
    const later = Promise.withResolvers<void>();
    serve(async (request, response) => {
      if (request.url === '/later') await later.promise;
      else later.resolve();
      response.end(request.url);
    });
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    const expecting = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n`;

    const alone = connect(port, '127.0.0.1');
    alone.write(`${expecting('/alone')}Connection: close\r\n\r\n1`);
    expect(await text(alone)).to.match(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n.*\r\n\r\n\/alone$/s);

    const pipelined = connect(port, '127.0.0.1');
    pipelined.write(`GET /later HTTP/1.1\r\nHost: x\r\n\r\n${expecting('/second')}Connection: close\r\n\r\n1`);
    expect(await text(pipelined)).to.match(/\r\n\r\n\/laterHTTP\/1\.1 200 OK\r\n.*\r\n\r\n\/second$/s);
  });

  it('closes a connection that stays idle, once its time is over', async () => {
    const { server, serve } = start({ logger, keepAliveTimeout: 50 });
    serve((_request, response) => response.end('served'));
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    const idle = connect(port, '127.0.0.1');
    idle.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const answer = parseResponse(await text(idle));
    expect(answer.headers).to.deep.include(['connection', 'keep-alive']);
    expect(answer.body).to.include('served');
  });

  for (const [bytes, status] of [
    [15_000, 200],
    [17_000, 431],
  ] as const) {
    it(`answers ${bytes} bytes of headers with ${status}`, async () => {
      const { server, serve } = start({ logger });
      serve((_request, response) => response.end('served'));
      const port = await listen(server, { host: '127.0.0.1', port: 0 });
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${'x'.repeat(bytes)}\r\n\r\n`);
      expect(parseResponse(await text(socket)).status).to.equal(status);
    });
  }

  it('has a limit for everything that a client can draw out', () => {
    const { server } = createHttpServer({ logger });
    expect(server).to.include({
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeadersCount: null,
    });
  });
});
