import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { readText } from '../support/document.ts';
import { eventually } from '../support/eventually.ts';
import { freePort, temporaryDirectory } from '../support/served-process.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';

const host = 'chat.example.com';

describe('docs/deploy/nginx.conf', () => {
  let files: Awaited<ReturnType<typeof temporaryDirectory>>;
  let app: TestApp;
  let proxy: ChildProcess;
  let port: number;
  let ca: string;

  before(async () => {
    files = await temporaryDirectory();
    const [certificate, key] = [join(files.path, 'fullchain.pem'), join(files.path, 'privkey.pem')];
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
    const output = ['-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...output], {
      stdio: 'ignore',
    });
    ca = readFileSync(certificate, 'utf8');

    app = await createTestApp({
      production: true,
      trustProxy: true,
      publicUrl: `https://${host}`,
      limits: { demo: 1 },
    });
    port = await freePort();
    const shipped = readText('docs/deploy/nginx.conf');
    const replaced = {
      '/etc/nginx/certs': files.path,
      'http://app:3000': app.url.replace('localhost', '127.0.0.1'),
      'listen 443': `listen 127.0.0.1:${port}`,
    };
    let configuration = shipped;
    for (const [text, here] of Object.entries(replaced)) {
      expect(configuration).to.include(text);
      configuration = configuration.replaceAll(text, here);
    }
    await writeFile(join(files.path, 'server-name.conf'), `server_name ${host};\n`);
    await writeFile(join(files.path, 'nginx.conf'), configuration);
    proxy = spawn('nginx', [...parameters(), '-g', `daemon off; pid ${files.path}/pid;`], { stdio: 'ignore' });
    await eventually(async () => {
      const socket = connect(port, '127.0.0.1');
      return new Promise((resolve) => {
        socket.once('connect', () => resolve(true)).once('error', () => resolve(undefined));
      }).finally(() => socket.destroy());
    });
  });
  after(async () => {
    const ended = once(proxy, 'exit');
    proxy.kill('SIGTERM');
    await ended;
    await app.close();
    await files.remove();
  });

  const parameters = () => ['-p', files.path, '-e', 'stderr', '-c', join(files.path, 'nginx.conf')];

  /** A request to the service's name. */
  async function send(path: string, headers: Record<string, string> = {}, body?: string, localAddress = '127.0.0.1') {
    const options = { host: '127.0.0.1', port, path, servername: host, ca, agent: false, localAddress };
    const call = request({
      ...options,
      method: body === undefined ? 'GET' : 'POST',
      headers: { Host: host, ...headers },
    });
    call.end(body);
    const [response] = await once(call, 'response');
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  const ask = (named: string, from: string) =>
    send(
      '/api/chat/demo',
      { 'Content-Type': 'application/json', 'X-Forwarded-For': named, 'X-Real-IP': named },
      JSON.stringify(question()),
      from,
    );

  /** Whether TLS comes about. */
  async function shakesHands(options: ConnectionOptions): Promise<boolean> {
    const socket: TLSSocket = connectTls({ host: '127.0.0.1', port, ca, servername: host, ...options });
    try {
      await once(socket, 'secureConnect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  it('is what nginx takes for correct', () => {
    const { status, stderr } = spawnSync('nginx', ['-t', ...parameters()], { encoding: 'utf8' });
    expect(stderr).not.to.include('[warn]');
    expect(status, stderr).to.equal(0);
  });

  it('serves the service at its own name', async () => {
    const response = await send('/auth/session');
    expect(response.status).to.equal(200);
    expect(response.headers.server).to.equal('nginx');
    expect(response.headers['x-request-id']).to.match(/^[0-9A-Z]{26}$/);
  });

  it('answers to no other name, neither in TLS nor in the Host header', async () => {
    expect(await shakesHands({})).to.equal(true);
    expect(await shakesHands({ servername: 'elsewhere.example', rejectUnauthorized: false })).to.equal(false);
    const refused = await send('/auth/session', { Host: 'elsewhere.example' }).catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'ECONNRESET');
  });

  it('counts a visitor by the connection, whatever addresses they name', async () => {
    expect((await ask('203.0.113.1', '127.0.0.2')).status).to.equal(200);
    const refused = await ask('203.0.113.2', '127.0.0.2');
    expect(refused.status).to.equal(429);
    expect(refused.headers).to.have.property('retry-after');
    expect((await ask('203.0.113.1', '127.0.0.3')).status, 'another visitor').to.equal(200);
  });

  it('passes on no trace that a visitor names', async () => {
    const seen: IncomingHttpHeaders[] = [];
    app.server.on('request', ({ headers }) => seen.push(headers));
    const visitors = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b' };
    expect((await send('/auth/session', visitors)).status).to.equal(200);
    expect(seen).to.have.length(1);
    expect(seen[0]).not.to.have.any.keys('traceparent', 'tracestate');
  });

  it('speaks TLS 1.2 and 1.3, with forward secrecy and authenticated encryption alone', async () => {
    const twelve = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
    expect(await shakesHands({ minVersion: 'TLSv1.3' })).to.equal(true);
    expect(await shakesHands({ ...twelve, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })).to.equal(true);
    for (const ciphers of ['AES128-GCM-SHA256', 'AES256-SHA', 'ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384']) {
      expect(await shakesHands({ ...twelve, ciphers }), ciphers).to.equal(false);
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await shakesHands(old), 'TLS 1.1').to.equal(false);
  });

  it('gives what it answers by itself a request id', async () => {
    const { status, headers } = await send('/onboarding', { 'X-Request-Id': 'mine' }, 'x'.repeat(3_000_000));
    expect(status).to.equal(413);
    expect(headers).to.include({ 'x-request-id': 'mine' });
    expect(headers).not.to.have.property('retry-after');
  });

  it('lets no browser guess a type or frame what it answers by itself, and repeats nothing of the service', async () => {
    const own = await send('/onboarding', {}, 'x'.repeat(3_000_000));
    expect(own.headers['content-security-policy']).to.equal("default-src 'none'; frame-ancestors 'none'");
    expect(own.headers['x-content-type-options']).to.equal('nosniff');
    const { headers } = await send('/auth/session');
    expect(headers['content-security-policy']).to.match(/^default-src 'none';.*script-src 'self'/);
    expect(headers['x-content-type-options']).to.equal('nosniff');
  });
});
