import process from 'node:process';
import { createServerProcess, run } from './server-process.ts';
import { steadyPort } from './steady-port.ts';

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** A Redis of one's own that keeps nothing on disk: a restart loses its counts. */
export async function startRedis(directory: string) {
  const port = await steadyPort();
  const address = ['-h', '127.0.0.1', '-p', String(port)];
  const env = { PATH: process.env.PATH };
  const server = createServerProcess({
    command: 'redis-server',
    parameters: ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'],
    spawning: { cwd: directory, env },
    async answers() {
      const { stdout } = await run('redis-cli', [...address, 'ping'], { env });
      if (stdout.trim() !== 'PONG') throw new Error(stdout);
    },
  });
  await server.start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start: server.start,
    stop: () => server.stop('SIGTERM'),
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
  };
}
