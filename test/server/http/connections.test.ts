import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import type { Certificate } from '../../../server/http/certificate.ts';
import { createHttpServer, listen } from '../../../server/http/http-server.ts';
import { closing } from '../../support/closing.ts';
import { ofEachTest } from '../../support/of-suite.ts';
import { createHastyServer, hold, itClosesHeldConnections } from './held-connections.ts';

describe('a connection', () => {
  const server = ofEachTest(() => createHastyServer());

  itClosesHeldConnections(server, { encrypted: false });

  it('is closed with the answer to an upgrade request: pipelined requests would get no answer', async () => {
    for (const request of [
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc',
    ]) {
      const client = connect(server.port, '127.0.0.1');
      client.write(`${request}GET / HTTP/1.1\r\nHost: x\r\n\r\n`);
      const answer = await text(client);
      expect(answer.match(/HTTP\/1\.1 \d+/g)).to.have.length(1);
      expect(answer).to.match(/^Connection: close\r$/m);
    }
  });
});

describe('the TLS handshake', () => {
  // A client without a handshake does not notice that there is no certificate.
  const server = ofEachTest(() => createHastyServer({ tls: { cert: '', key: '' } }));

  it('may take as long as the headers of a request; then the connection is closed', async () => {
    expect(await hold(server, { first: '' })).to.deep.equal([]);
    const firstBytesOfHandshake = '\x16\x03\x01\x02\x00';
    expect(await hold(server, { first: firstBytesOfHandshake })).to.deep.equal([]);
  });
});

describe('closeUnused', () => {
  /** Longer than any test. */
  const never = 600_000;
  const certificate = { cert: '', key: '' };

  async function start({ tls }: { tls?: Certificate | undefined } = {}) {
    const http = createHttpServer({
      tls,
      headersTimeout: never,
      requestTimeout: never,
      logger: pino({ level: 'silent' }),
    });
    const port = await listen(http.server, { host: '127.0.0.1', port: 0 });
    const close = () => {
      http.server.close();
      http.connections.closeAll();
    };
    return closing({ ...http, port, close });
  }

  for (const [state, tls, sent] of [
    ['is silent', undefined, ''],
    ['has sent half of the headers', undefined, 'GET / HTTP/1.1\r\nHost: '],
    ['is in the TLS handshake', certificate, ''],
  ] as const) {
    it(`closes a connection that ${state}`, async () => {
      await using http = await start({ tls });
      const accepted = once(http.server, 'connection');
      const client = connect({ port: http.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
      const [socket] = await accepted;
      client.write(sent);
      const closed = once(socket, 'close');
      http.connections.closeUnused();
      await closed;
      client.destroy();
    });
  }

  it('leaves a connection open until its request is answered', async () => {
    await using http = await start();
    http.serve((_request, response) => {
      http.connections.closeUnused();
      response.once('close', http.connections.closeUnused).end('answered');
    });
    const client = connect(http.port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await text(client)).to.match(/\r\n\r\nanswered$/);
  });
});
