import process from 'node:process';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { perSuite } from '../support/per-suite.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { createServerProcess, run } from '../support/server-process.ts';
import { compose } from './compose.ts';

const password = 'abc123';

describe('the Redis of docker-compose.yml', () => {
  let server: ReturnType<typeof createServerProcess>;
  let port: number;

  after(async () => {
    await server?.stop('SIGTERM');
  });
  const directory = perSuite(() => temporaryDirectory());
  before(async () => {
    port = await findNonEphemeralPort();
    const [command = '', ...parameters] = (compose.services.redis.command ?? []).map((word) =>
      word.replace(`\${REDIS_PASSWORD}`, password),
    );
    const env = { PATH: process.env.PATH, REDISCLI_AUTH: password };
    server = createServerProcess({
      command,
      parameters: [...parameters, '--port', String(port), '--bind', '127.0.0.1'],
      spawning: { cwd: directory.path, env },
      probe: () => run('redis-cli', ['-p', String(port), '-e', 'ping'], { env }),
    });
    await server.start();
  });

  it('accepts only clients with the password', async () => {
    const answerTo = async (url: string) => {
      const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
      redis.on('error', () => undefined);
      try {
        return await redis.ping();
      } catch (error) {
        return String(error);
      } finally {
        redis.disconnect();
      }
    };
    expect(await answerTo(`redis://:${password}@127.0.0.1:${port}`)).to.equal('PONG');
    expect(await answerTo(`redis://127.0.0.1:${port}`)).to.match(/NOAUTH/);
    expect(await answerTo(`redis://:wrong@127.0.0.1:${port}`)).not.to.equal('PONG');
  });
});
