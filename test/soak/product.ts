import { eventually } from '../support/eventually.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { sessionSecret } from '../support/people.ts';
import { serveInProcess } from '../support/served-process.ts';
import { modelName } from './provider.ts';

/** Must not occur in the log: lost rows and unexpected errors, and text from users or the provider. */
const forbidden = /write (?:is|may be) lost|uncaught exception|shutdown failed|\[(?:question|reply) \d/;

/** Starts the product as in production behind a proxy, in a child process that always has the same address. */
export async function startProduct(environment: Record<string, string>) {
  const port = await findNonEphemeralPort();
  const processes: ReturnType<typeof serveInProcess>[] = [];
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
    // Longer than any pause of a live stream, and short enough to elapse often.
    MODEL_IDLE_TIMEOUT_MS: '6000',
    // Short enough that replies are still in flight when it elapses.
    SHUTDOWN_GRACE_MS: '3000',
    ...environment,
  };

  async function start(): Promise<void> {
    processes.push(serveInProcess(variables));
    await processes.at(-1)?.url;
  }

  async function terminate(signal: NodeJS.Signals): Promise<void> {
    processes.at(-1)?.kill(signal);
    await processes.at(-1)?.exited;
  }

  const log = () => processes.flatMap(({ output }) => output);

  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    start,
    stop: () => terminate('SIGTERM'),
    kill: () => terminate('SIGKILL'),

    /** The heap and the active resources of the process after garbage collection. */
    async sample(): Promise<{ heapBytes: number; resources: Record<string, number> }> {
      const before = log().length;
      processes.at(-1)?.kill('SIGUSR2');
      return JSON.parse(
        await eventually(() => log().find((line, at) => at >= before && line.startsWith('{"heapBytes"'))),
      );
    },

    /** Read from the log, because on a busy machine Redis can be too slow even without a fault. */
    localCounting(): { part: string; since: number; until: number }[] {
      const lines = log().filter((line) => /"msg":"Redis (un)?available/.test(line));
      const changes = lines.map((line): { time: number; msg: string } => JSON.parse(line));
      return changes
        .map(({ time, msg }, at) => ({
          msg,
          part: 'redis',
          since: time,
          until: changes[at + 1]?.time ?? Number.MAX_VALUE,
        }))
        .filter(({ msg }) => msg.startsWith('Redis unavailable'));
    },

    /** The problems in the log and the exit codes. Resolves once all processes have exited. */
    async problems(): Promise<string[]> {
      const exits = await Promise.all(processes.map(({ exited }) => exited));
      const lines = log().filter((line) => forbidden.test(line));
      return [
        ...exits.filter((exit) => exit !== 0 && exit !== 'SIGKILL').map((exit) => `a process exited with ${exit}`),
        ...lines.map((line) => `in the log: ${line.slice(0, 300)}`),
      ];
    },
  };
}
