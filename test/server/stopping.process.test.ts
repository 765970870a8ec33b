import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { closeServer } from '../../server/startup/shutdown.ts';
import { eventually } from '../support/eventually.ts';
import { createMigratedDataDirectory } from '../support/migrated-cluster.ts';
import { perSuite } from '../support/per-suite.ts';
import { parseResponse } from '../support/raw-http.ts';
import { createScriptedProvider, defaultReply } from '../support/scripted-provider.ts';
import { root, serveInProcess } from '../support/served-process.ts';
import { createTestApp, post, question } from '../support/test-app.ts';

/** Exceeds the timeout of any test, so a process that exits has not waited for it. */
const tenMinutes = '600000';

describe('a process that receives SIGTERM', () => {
  let served: ReturnType<typeof serveInProcess>;

  const data = perSuite(() => createMigratedDataDirectory());
  const provider = perSuite(() => createScriptedProvider());
  afterEach(async () => {
    served.kill('SIGKILL');
    await served.exited;
    provider.reset();
  });

  async function serve(variables: Record<string, string>): Promise<string> {
    served = serveInProcess({ DATA_DIR: data.path, ANTHROPIC_BASE_URL: provider.url, ...variables });
    return served.url;
  }

  const untilNotReady = (url: string) =>
    eventually(async () => {
      const response = await fetch(`${url}/readyz`);
      return response.status === 503 ? response.json() : undefined;
    });

  const untilConnectionsRefused = (url: string) =>
    eventually(async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      const outcome = await Promise.race([
        once(socket, 'connect').then(() => undefined),
        once(socket, 'error').then(() => 'refused'),
      ]).catch(() => 'refused');
      socket.destroy();
      return outcome;
    });

  it('becomes unready immediately, serves requests during the delay, ignores an echo of the signal, and exits on a later one', async () => {
    const url = await serve({ SHUTDOWN_DELAY_MS: tenMinutes });
    expect(await (await fetch(`${url}/readyz`)).json()).to.deep.equal({ ready: true, draining: false });
    served.kill('SIGTERM');
    served.kill('SIGINT');
    expect(await untilNotReady(url)).to.deep.equal({ ready: false, draining: true });
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    const reply = await post(`${url}/api/chat/demo`, question());
    expect([reply.status, await reply.text()]).to.deep.equal([200, defaultReply.text]);

    const signals = setInterval(() => served.kill('SIGTERM'), 50);
    expect(await served.exited).to.equal(1);
    clearInterval(signals);
  });

  it('stops if the signal arrives at the moment at which it begins to listen', async () => {
    served = serveInProcess({
      NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/support/signal-when-listening-preload.ts'))}`,
      DATA_DIR: data.path,
      HOST: '127.0.0.2',
    });
    expect(await served.exited).to.equal(0);
    expect(served.output.join('\n')).to.include('stopping; waiting for replies in progress');
  });

  it('refuses connections after the delay, finishes replies in flight, and answers the first request of an accepted connection', async () => {
    const url = await serve({ SHUTDOWN_DELAY_MS: '1', SHUTDOWN_GRACE_MS: tenMinutes });
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
    const reply = await post(`${url}/api/chat/demo`, question());
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    served.kill('SIGTERM');
    await untilConnectionsRefused(url);
    socket.write('GET /auth/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(parseResponse(await text(socket)).status).to.equal(200);
    resolve();
    expect(await reply.text()).to.equal('Half, whole.');
    expect(await served.exited).to.equal(0);
  });

  it('responds with 503 to a request that is still unanswered at the end of the grace period', async () => {
    const url = await serve({ SHUTDOWN_GRACE_MS: '1' });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const fields = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue'];
    socket.write(`POST /api/chat/demo HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1.1 100 Continue/);
    served.kill('SIGTERM');
    const answer = parseResponse(await text(socket));
    expect([answer.status, answer.body]).to.deep.equal([
      503,
      'UPSTREAM_OVERLOADED: The model is busy right now. Try again shortly.',
    ]);
    expect(answer.headers).to.deep.include(['connection', 'close']);
    expect(await served.exited).to.equal(0);
  });
});

describe('closeServer', () => {
  it('responds with 503 on busy connections, closes idle ones, and does not wait for the grace period', async () => {
    const app = await createTestApp();
    const { hostname, port } = new URL(app.url);
    const idle = connect(Number(port), hostname);
    idle.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'data');
    const busy = connect(Number(port), hostname);
    busy.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(busy, 'data');
    app.draining.abort();
    busy.write('GET /auth/session HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const answer = parseResponse(await text(busy));
    expect(answer.status).to.equal(503);
    expect(answer.headers).to.deep.include(['connection', 'close']);
    const { connections, draining, graceEnded } = app;
    await closeServer(app.server, { connections, graceMilliseconds: 600_000, draining: draining.signal, graceEnded });
    expect(await text(idle)).to.equal('');
    expect(app.graceEnded.signal.aborted).to.equal(false);
    await app.close().catch(() => undefined);
  });
});
