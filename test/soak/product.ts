import { eventually } from '../support/eventually.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { sessionSecret } from '../support/people.ts';
import { serveInProcess } from '../support/served-process.ts';
import { modelName } from './provider.ts';

/** What no line of its log may say: what the product calls a loss, and what people or the provider said. */
const forbidden = /this row is lost|uncaught exception|stopping failed|\[(?:question|reply) \d/;

/** The product as production runs it behind a proxy, in a process of its own, always at the same address. */
export async function startProduct(environment: Record<string, string>) {
  const port = await findNonEphemeralPort();
  const lives: ReturnType<typeof serveInProcess>[] = [];
  const variables = {
    NODE_OPTIONS: '--expose-gc --import ./test/soak/probe.ts',
    NODE_ENV: 'production',
    PORT: String(port),
    PUBLIC_URL: `https://localhost:${port}`,
    TRUST_PROXY: 'true',
    SESSION_SECRET: sessionSecret,
    SIGN_UP: 'invited',
    ANTHROPIC_API_KEY: 'soak',
    ANTHROPIC_MODEL: modelName,
    GITHUB_CLIENT_ID: 'soak',
    GITHUB_CLIENT_SECRET: 'soak',
    // Longer than anything that is slow but alive, and short enough to be met often.
    MODEL_IDLE_TIMEOUT_MS: '6000',
    // Shorter than people's patience, so that replies are running when it is over.
    SHUTDOWN_GRACE_MS: '3000',
    ...environment,
  };

  async function start(): Promise<void> {
    lives.push(serveInProcess(variables));
    await lives.at(-1)?.url;
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    lives.at(-1)?.kill(signal);
    await lives.at(-1)?.exited;
  }

  const log = () => lives.flatMap(({ output }) => output);

  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),

    /** What the process holds now that its garbage is collected. */
    async sample(): Promise<{ heapBytes: number; resources: Record<string, number> }> {
      const before = log().length;
      lives.at(-1)?.kill('SIGUSR2');
      return JSON.parse(
        await eventually(() => log().find((line, at) => at >= before && line.startsWith('{"heapBytes"'))),
      );
    },

    /** When it has counted limits by itself, as its log says: on a busy machine Redis may be too late without a fault. */
    countedAlone(): { part: string; since: number; until: number }[] {
      const lines = log().filter((line) => /"msg":"Redis (un)?available/.test(line));
      const told = lines.map((line): { time: number; msg: string } => JSON.parse(line));
      return told
        .map(({ time, msg }, at) => ({
          msg,
          part: 'redis',
          since: time,
          until: told[at + 1]?.time ?? Number.MAX_VALUE,
        }))
        .filter(({ msg }) => msg.startsWith('Redis unavailable'));
    },

    /** What its log and its ends say that they must not, once it has ended. */
    async problems(): Promise<string[]> {
      const ends = await Promise.all(lives.map(({ exited }) => exited));
      const lines = log().filter((line) => forbidden.test(line));
      return [
        ...ends.filter((end) => end !== 0 && end !== 'SIGKILL').map((end) => `a process ended with ${end}`),
        ...lines.map((line) => `the log says: ${line.slice(0, 300)}`),
      ];
    },
  };
}
