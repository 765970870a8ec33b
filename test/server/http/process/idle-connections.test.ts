import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createHttpServer, type HttpServer, listen } from '../../../../server/http/process/http-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { temporaryDirectory } from '../../../support/served-process.ts';

const logger = pino({ level: 'silent' });
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe('idle and unfinished connections', function () {
  // Where nothing is closed, they wait for it until then.
  this.timeout(15_000);
  const servers: HttpServer[] = [];
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** A server that lets each address have two of them, and lets the test open connections, one accepted after the other. */
  async function start(
    answer: RequestListener = (_request, response) => response.end('served'),
    options: { tls?: { cert: string; key: string }; mostIdlePerAddress?: number } = { mostIdlePerAddress: 2 },
  ) {
    const { server, serve } = createHttpServer({ logger, ...options });
    servers.push(server);
    serve(answer);
    const port = await listen(server, { host: '127.0.0.1', port: 0 });

    return async function open(localAddress: string, sent = ''): Promise<Socket> {
      const accepted = once(server, 'connection');
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      // A connection that is closed with bytes on the way is reset.
      socket.on('error', () => undefined);
      sockets.push(socket);
      if (sent !== '') socket.write(sent);
      await accepted;
      return socket;
    };
  }

  const closed = (socket: Socket) => eventually(() => (socket.resume().closed ? true : undefined));

  async function isServed(socket: Socket): Promise<void> {
    socket.write(get);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).to.include('served');
  }

  it('are bounded for each address: of more, the oldest is closed and the newcomer is served', async () => {
    const open = await start();
    const [oldest, older] = [await open('127.0.0.2'), await open('127.0.0.2')];
    const newcomer = await open('127.0.0.2');
    await closed(oldest);
    await isServed(newcomer);
    await isServed(older);
  });

  it('of one address keep no other out', async () => {
    const open = await start();
    const neighbour = await open('127.0.0.3');
    const held = [];
    for (let count = 0; count < 10; count += 1) held.push(await open('127.0.0.2', 'GET / HTTP/1.1\r\nX-Slow'));
    for (const socket of held.slice(0, 8)) await closed(socket);
    await isServed(neighbour);
    await isServed(await open('127.0.0.3'));
  });

  it('are those whose body has not wholly arrived, too', async () => {
    const open = await start((request) => void request.resume());
    const unfinished = await open('127.0.0.2', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf');
    await open('127.0.0.2');
    await open('127.0.0.2');
    await closed(unfinished);
  });

  it('are those that are kept open after an answer, from the answer on', async () => {
    const open = await start();
    const kept = await open('127.0.0.2');
    const waiting = await open('127.0.0.2');
    await isServed(kept);
    await open('127.0.0.2');
    await closed(waiting);
    await isServed(kept);
  });

  it('are not those with a reply under way, which nothing here closes', async () => {
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const open = await start(async (_request, response) => {
      response.write('served');
      await done;
      response.end(' to the end');
    });
    const replies: Socket[] = [];
    for (let count = 0; count < 4; count += 1) {
      const socket = await open('127.0.0.2');
      await isServed(socket);
      replies.push(socket);
    }
    const first = await open('127.0.0.2');
    for (let count = 0; count < 3; count += 1) await open('127.0.0.2');
    await closed(first);
    finish();
    for (const reply of replies) expect(String(await once(reply, 'data'))).to.include('to the end');
  });

  it('are not those whose request waits for its answer', async () => {
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const began: string[] = [];
    const open = await start(async ({ url = '' }, response) => {
      began.push(url);
      await done;
      response.end('served');
    });
    const waiting = await open('127.0.0.2', get);
    await eventually(() => began[0]);
    const first = await open('127.0.0.2');
    await open('127.0.0.2');
    await open('127.0.0.2');
    await closed(first);
    finish();
    expect(String(await once(waiting, 'data'))).to.include('served');
  });

  it('are bounded under TLS as well, before and after the handshake', async () => {
    const files = await temporaryDirectory();
    const [certFile, keyFile] = [join(files.path, 'cert.pem'), join(files.path, 'key.pem')];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
    const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    await files.remove();

    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const open = await start(
      async (_request, response) => {
        response.write('served');
        await done;
        response.end(' to the end');
      },
      { tls, mostIdlePerAddress: 2 },
    );
    const secured = async () => {
      const raw = await open('127.0.0.2');
      const socket = connectTls({ socket: raw, ca: tls.cert, servername: 'localhost' });
      socket.on('error', () => undefined);
      await once(socket, 'secureConnect');
      return { raw, socket };
    };
    const reply = await secured();
    await isServed(reply.socket);
    const idle = await secured();
    const withoutHandshake = await open('127.0.0.2');
    await open('127.0.0.2');
    await closed(idle.raw);
    await open('127.0.0.2');
    await closed(withoutHandshake);
    finish();
    expect(String(await once(reply.socket, 'data'))).to.include('to the end');
  });

  it('are any number where no bound is set, as behind a proxy', async () => {
    const open = await start(undefined, {});
    const held: Socket[] = [];
    for (let count = 0; count < 20; count += 1) held.push(await open('127.0.0.2'));
    for (const socket of held) await isServed(socket);
  });
});
