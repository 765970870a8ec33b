import process from 'node:process';
import { findNonEphemeralPort } from './non-ephemeral-port.ts';
import { createServerProcess, run } from './server-process.ts';

const withoutFiles = ['--save', '', '--appendonly', 'no'];

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** Starts a Redis without persistence, so that a restart loses the counts. `parameters` are appended to its command line. */
export async function startRedis(
  directory: string,
  { parameters = [], password }: { parameters?: readonly string[]; password?: string } = {},
) {
  const port = await findNonEphemeralPort();
  const address = ['-h', '127.0.0.1', '-p', String(port)];
  const env = { PATH: process.env.PATH, ...(password !== undefined && { REDISCLI_AUTH: password }) };
  const login = password === undefined ? [] : ['--requirepass', password, '--masterauth', password];

  async function command(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('redis-cli', [...address, ...words], { env });
    return stdout.trim();
  }

  const server = createServerProcess({
    command: 'redis-server',
    parameters: [...['--bind', '127.0.0.1', '--port', String(port)], ...withoutFiles, ...login, ...parameters],
    spawning: { cwd: directory, env },
    async probe() {
      const reply = await command('ping');
      if (reply !== 'PONG') throw new Error(reply);
    },
  });
  await server.start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    start: server.start,
    stop: () => server.stop('SIGTERM'),
    crash: () => server.stop('SIGKILL'),
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
  };
}
