import process from 'node:process';
import { createServerProcess, run } from './server-process.ts';
import { steadyPort } from './steady-port.ts';

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/**
 * A Redis of one's own that keeps nothing on disk: a restart loses its counts. `parameters` are more of its command line's.
 */
export async function startRedis(
  directory: string,
  { parameters = [], password }: { parameters?: readonly string[]; password?: string } = {},
) {
  const port = await steadyPort();
  const address = ['-h', '127.0.0.1', '-p', String(port)];
  const env = { PATH: process.env.PATH, ...(password !== undefined && { REDISCLI_AUTH: password }) };
  const login = password === undefined ? [] : ['--requirepass', password, '--masterauth', password];

  /** What redis-cli prints for a command. */
  async function command(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('redis-cli', [...address, ...words], { env });
    return stdout.trim();
  }

  const server = createServerProcess({
    command: 'redis-server',
    parameters: [
      '--bind',
      '127.0.0.1',
      '--port',
      String(port),
      '--save',
      '',
      '--appendonly',
      'no',
      ...login,
      ...parameters,
    ],
    spawning: { cwd: directory, env },
    async answers() {
      const answer = await command('ping');
      if (answer !== 'PONG') throw new Error(answer);
    },
  });
  await server.start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    start: server.start,
    stop: () => server.stop('SIGTERM'),
    /** Ends it without a word. */
    crash: () => server.stop('SIGKILL'),
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
  };
}
