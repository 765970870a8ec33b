import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { variablesOf } from '../../server/config/environment.ts';
import { providerNames } from '../../shared/session.ts';
import { createMigratedDataDirectory } from '../support/migrated-cluster.ts';
import { perSuite } from '../support/per-suite.ts';
import { serveInProcess } from '../support/served-process.ts';
import { post, question } from '../support/test-app.ts';

describe('the process', () => {
  const data = perSuite(() => createMigratedDataDirectory());

  const serve = (variables: Record<string, string> = {}) => serveInProcess({ DATA_DIR: data.path, ...variables });

  it('lists all configuration errors, and does not start', async () => {
    const refused = serve({ NODE_ENV: 'production', PORT: 'eighty', SESSION_SECRET: 'short', GITHUB_CLIENT_ID: 'id' });
    expect(await refused.exited).to.equal(1);
    expect(refused.output).to.deep.equal([
      'The configuration is invalid:',
      '  - PORT must be a port number from 0 to 65535.',
      '  - SESSION_SECRET must have at least 32 characters in each secret.',
      '  - GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET must be set together: set both or neither.',
      '  - PUBLIC_URL is required in production: the https:// address that users open.',
      '  - DATABASE_URL is required in production: a PostgreSQL server.',
      '  - TRUST_PROXY is required in production: true, because a proxy must terminate TLS.',
      '  - REDIS_URL (or REDIS_SENTINELS or REDIS_CLUSTER) is required in production, for rate-limit counts that all instances share.',
      '  - ANTHROPIC_API_KEY (or ANTHROPIC_BASE_URL, for a server that is compatible with the Anthropic API) is required in production.',
      `  - At least one sign-in provider is required in production: ${providerNames
        .map(variablesOf)
        .map(({ clientId, clientSecret }) => `${clientId} and ${clientSecret}`)
        .join(', or ')}.`,
    ]);
  });

  it('serves idle clients in addition to MAX_STREAMS turns, and shares neither its port nor its embedded database', async () => {
    const served = serve({ MAX_STREAMS: '1' });
    const { port } = new URL(await served.url);
    const sockets: Socket[] = [];
    for (let idle = 0; idle < 3; idle += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      sockets.push(socket);
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await once(socket, 'readable');
      expect(String(socket.read())).to.match(/^HTTP\/1\.1 200 /);
    }
    for (const socket of sockets) socket.destroy();

    const ofSameDatabase = serve();
    expect(await ofSameDatabase.exited).to.equal(1);
    expect(ofSameDatabase.output.join('\n')).to.include(
      `Another process is using the embedded database in ${data.path}.`,
    );
    const other = await createMigratedDataDirectory();
    const atSamePort = serve({ DATA_DIR: other.path, PORT: port });
    expect(await atSamePort.exited).to.equal(1);
    expect(atSamePort.output.join('\n')).to.include('Cannot open the port (HOST, PORT)').and.include(port);
    await other.remove();
    served.kill('SIGKILL');
    expect(await served.exited).to.equal('SIGKILL');
  });

  it('starts again after it was killed, and ends replies in flight with the error line after the grace period when its terminal is closed', async () => {
    const served = serve({ SHUTDOWN_GRACE_MS: '100' });
    const response = await post(`${await served.url}/api/chat/demo`, question('please stall'));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let reply = (await reader?.read())?.value ?? '';
    served.kill('SIGHUP');
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read())
      reply += piece.value;
    expect(reply).to.match(/\n\n\[UPSTREAM_ERROR: The model could not finish the reply\.\]$/);
    expect(await served.exited).to.equal(0);
  });
});
